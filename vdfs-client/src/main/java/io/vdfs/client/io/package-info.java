/**
 * Reading and writing the bytes of files: pipelines with recovery, verified reads with fail-over
 * and read-ahead. Knows nodes and file keys, not paths; metadata comes through {@link
 * io.vdfs.client.io.WriteCoordinator} and {@link io.vdfs.client.io.ViewSource}. Callers' threads
 * own the state of a writer or cursor and block with a limit; event loops only hand over messages.
 * No Hadoop types.
 */
package io.vdfs.client.io;
