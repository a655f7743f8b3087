/**
 * What is done when a job is submitted: which of its files are drawn at run time and which get
 * static splits, how many logical splits there are and where, and the job's stream in the ledger.
 * Runs in clients, on the thread that submits. Knows of tasks only the splits that are sent to
 * them.
 */
package io.vdfs.mapreduce.plan;
