/**
 * What the block store asks of a disk, small enough to be simulated in tests: positional reads and
 * writes, force, names. Thread-safe; blocking calls on the caller's thread.
 */
package io.vdfs.datanode.store.disk;
