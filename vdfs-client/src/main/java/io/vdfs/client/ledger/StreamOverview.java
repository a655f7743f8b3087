package io.vdfs.client.ledger;

import io.vdfs.common.model.StreamId;

/**
 * One of the streams that a user may see. Immutable.
 *
 * @param status without tasks
 * @param tasks how many it has
 * @param drawingTasks that own blocks and may draw more
 * @param endedTasks that get no more
 * @param firstPath of its first file; empty before there is one
 */
public record StreamOverview(
    StreamId stream,
    StreamStatus status,
    int tasks,
    int drawingTasks,
    int endedTasks,
    String firstPath) {}
