/**
 * The server side of the control plane: what may be called, which part of the daemon answers; and
 * the way from any node to the leader of the metadata. Thread-safe. With {@code .request} and
 * {@code hadoop} the only packages of the daemon that know Hadoop.
 */
package io.vdfs.datanode.rpc;
