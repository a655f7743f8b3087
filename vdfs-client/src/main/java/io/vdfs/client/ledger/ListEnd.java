package io.vdfs.client.ledger;

/**
 * That the list of a task is final, and ends here. Immutable.
 *
 * @param runs of the list
 * @param task what the list comes to
 * @param stream what the input of the job comes to
 * @param yielded whether the list was closed for the sake of another job
 */
public record ListEnd(int runs, BlockTotals task, BlockTotals stream, boolean yielded) {}
