/**
 * A request to the metadata from when its caller is known: whose it is, whether it may be made,
 * what the node adds before its member gets it, what is counted of it. Thread-safe; knows of Hadoop
 * only how that names users.
 */
package io.vdfs.datanode.rpc.request;
