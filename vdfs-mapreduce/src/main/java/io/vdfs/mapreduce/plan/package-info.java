/**
 * The submission of a job: which of its files are drawn at run time and which get static splits,
 * how many logical splits there are and where, and the job's stream in the ledger. Runs in clients,
 * on the thread that submits. Of tasks it knows only the splits that are sent to them.
 */
package io.vdfs.mapreduce.plan;
