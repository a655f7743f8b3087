package io.vdfs.client.ledger;

/**
 * The findings of a passed audit: the lists of the tasks partition the input, and the attempts that
 * won processed them. Immutable.
 *
 * @param totals of the input
 * @param runs of all lists
 * @param stolenBlocks taken by tasks on other nodes than those whose pool they came from
 * @param stoppedTasks whose mappers stopped before the end of their lists
 * @param undrawnBlocks owned by no task, as all mappers stopped
 */
public record AuditedInput(
    int tasks,
    long files,
    BlockTotals totals,
    long runs,
    long stolenBlocks,
    int stoppedTasks,
    long undrawnBlocks) {}
