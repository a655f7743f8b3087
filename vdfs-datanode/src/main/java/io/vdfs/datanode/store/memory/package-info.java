/**
 * Memory of the daemon's own for bytes on their way from the disks to readers. Opened by the
 * composition root; whoever reads blocks takes buffers of it by {@code BlockBuffers} of the store's
 * contract. Thread-safe.
 */
package io.vdfs.datanode.store.memory;
