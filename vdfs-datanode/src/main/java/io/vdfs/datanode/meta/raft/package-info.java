/**
 * Replicates the metadata state by Raft: the group, its log and snapshots, packing of requests into
 * log entries, linearizable reads. The only package that knows Ratis; its public types don't. The
 * state itself is confined to the metadata loop, which this package owns.
 */
package io.vdfs.datanode.meta.raft;
