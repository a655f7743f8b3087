/**
 * Node-wide lookup of (file, block) to its place and checksums: a disposable cache off the heap,
 * rebuilt from the combined files at each start. Thread-safe.
 */
package io.vdfs.datanode.store.index;
