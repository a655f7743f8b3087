/**
 * Decides which nodes a writer sends a group to, and which are left out after a failure: exclusions
 * are asked for here, through {@link io.vdfs.client.write.WriteCoordinator}, and recorded by the
 * metadata service. Callers' threads own a writer and block with a limit; event loops only hand
 * over messages.
 */
package io.vdfs.client.write;
