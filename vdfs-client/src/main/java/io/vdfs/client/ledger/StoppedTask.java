package io.vdfs.client.ledger;

/**
 * An attempt that ends without having reached the end of its list, as its mapper asked for no more
 * records. Immutable.
 *
 * @param runs how many runs of the task's list were processed to the end, from the first one on
 * @param processed totals of those
 */
public record StoppedTask(StreamTask task, int runs, BlockTotals processed) {}
