package io.vdfs.client.ledger;

/**
 * The list of a task as far as it was drawn. Immutable.
 *
 * @param runs of the list
 * @param totals of them
 * @param stolenBlocks of them, from pools of other nodes
 * @param closed whether the list ended while there were blocks left
 * @param finished whether an attempt processed the whole list
 * @param stopped whether the mapper of an attempt that committed stopped before the end
 * @param yielded whether the list was closed for the sake of a stream that waited
 */
public record TaskDraws(
    int runs,
    BlockTotals totals,
    long stolenBlocks,
    boolean closed,
    boolean finished,
    boolean stopped,
    boolean yielded) {}
