/**
 * The server side of the control plane: the calls and the parts of the daemon that answer them; and
 * the way from any node to the leader of the metadata. Thread-safe. With {@code .request} and
 * {@code hadoop} the only packages of the daemon that know Hadoop.
 */
package io.vdfs.datanode.rpc;
