/**
 * What a task does with its input while it runs: the input format through which MapReduce comes
 * here, its record readers, and the runs of blocks that a task draws from the replicated ledger.
 * All this is in the root, as jobs name the input format and the group of its counters by it.
 * {@code .plan} is what is done before, {@code .commit} what is done after, {@code .settings} and
 * {@code .files} serve all three. Runs in clients and tasks.
 */
package io.vdfs.mapreduce;
