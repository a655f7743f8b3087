/**
 * The data structures of the replicated metadata: inodes, names and paths, deletion queue, call
 * cache. They change only by replaying records. Confined to the metadata loop; uses {@code common}
 * and its own subpackages alone.
 */
package io.vdfs.datanode.meta.state;
