package io.vdfs.client.io;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;

/**
 * Whole chunks of a block that a reader asks a node for. Immutable.
 *
 * @param start first byte wanted in the block, on a chunk boundary
 * @param end end of the last chunk wanted
 * @param firstEpoch lowest write epoch that the block may have
 * @param anew whether the node is to be asked even where it has said where the bytes are
 * @param rest whether the reader is likely to want what is behind the range in its block next
 * @param following blocks behind this one that the reader is likely to want then, each as a whole
 */
public record WantedRange(
    ReplicaNode node,
    FileView view,
    long block,
    int start,
    int end,
    long firstEpoch,
    boolean anew,
    boolean rest,
    int following) {}
