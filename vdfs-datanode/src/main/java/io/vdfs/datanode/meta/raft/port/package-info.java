/**
 * The port that members of the metadata group talk over: which peers may connect, what is refused
 * there and counted, and the vote that is forced before it is given.
 */
package io.vdfs.datanode.meta.raft.port;
