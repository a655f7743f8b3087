package io.vdfs.client.ledger;

import io.vdfs.common.model.NodeId;

/**
 * A node of a stream: what is left of its pool, and what tasks drew. Immutable.
 *
 * @param node may be gone from the ring
 * @param remainingBlocks in its pool
 * @param localBlocks of its pool, taken by tasks on it
 * @param lostBlocks of its pool, taken by tasks elsewhere
 * @param stolenBlocks of other pools, taken by tasks on it
 * @param drawingTasks that drew there last, and may draw more
 */
public record NodeDraws(
    NodeId node,
    long remainingBlocks,
    long localBlocks,
    long lostBlocks,
    long stolenBlocks,
    int drawingTasks) {}
