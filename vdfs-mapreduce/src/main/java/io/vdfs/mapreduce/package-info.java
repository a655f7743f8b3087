/**
 * What a task does with its input while it runs: the input format through which MapReduce calls
 * VDFS, its record readers, and the runs of blocks that a task draws from the replicated ledger.
 * All this is in the root package, as jobs name the input format and the group of its counters by
 * it. {@code .plan} does what comes before, {@code .commit} what comes after, {@code .settings} and
 * {@code .files} serve all three. Runs in clients and tasks.
 */
package io.vdfs.mapreduce;
