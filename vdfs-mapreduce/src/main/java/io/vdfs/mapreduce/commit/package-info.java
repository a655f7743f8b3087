/**
 * Committers that audit: the output of a job counts only if the ledger confirms that the job's
 * tasks processed every block once. Runs in ApplicationMasters and tasks, also on nodes that lack
 * the rest of VDFS. Knows a job's stream by the job's settings, but neither its plan nor its
 * readers.
 */
package io.vdfs.mapreduce.commit;
