/**
 * Memory of the daemon's own for bytes on their way from the disks to readers. Opened by the
 * composition root; code that reads blocks takes buffers from it through {@code BlockBuffers} of
 * the store's contract. Thread-safe.
 */
package io.vdfs.datanode.store.memory;
