/**
 * Handles a request to the metadata once its caller is known: its user, whether it may be made,
 * what the node adds before its member gets it, what is counted of it. Thread-safe; of Hadoop it
 * knows only how users are named.
 */
package io.vdfs.datanode.rpc.request;
