package io.vdfs.client.ledger;

/**
 * That the list of a task is final, and ends here. Immutable.
 *
 * @param runs of the list
 * @param task totals of the list
 * @param stream totals of the job's input
 * @param yielded whether the list was closed for the sake of another job
 */
public record ListEnd(int runs, BlockTotals task, BlockTotals stream, boolean yielded) {}
