/**
 * The data structures of the replicated metadata: inodes and names, paths and permissions, deletion
 * queue, call cache. They change only by replaying records. Confined to the metadata loop; uses
 * {@code common} alone.
 */
package io.vdfs.datanode.meta.state;
