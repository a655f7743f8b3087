/**
 * The control plane over Hadoop IPC: one protocol that carries named calls with protobuf bodies,
 * its client and its server, and how errors travel. With the bodies being plain bytes to Hadoop,
 * its relocated protobuf and ours never meet. Thread-safe; the only package here that knows Hadoop.
 */
package io.vdfs.common.rpc;
