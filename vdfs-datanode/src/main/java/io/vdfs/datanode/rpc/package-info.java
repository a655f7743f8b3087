/**
 * The server side of the control plane: who calls, what may be called, which part of the daemon
 * answers; and the way from any node to the leader of the metadata. Thread-safe. The only package
 * of the daemon that knows Hadoop.
 */
package io.vdfs.datanode.rpc;
