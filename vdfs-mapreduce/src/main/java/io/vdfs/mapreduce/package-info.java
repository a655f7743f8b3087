/**
 * Logical splits for MapReduce: a job gets one task per core, and the tasks draw blocks of the
 * input at run time through the replicated ledger. Runs in clients, ApplicationMasters and tasks;
 * uses {@code client} and {@code common}.
 */
package io.vdfs.mapreduce;
