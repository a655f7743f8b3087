/**
 * Logical splits for jobs of the old MapReduce API and for Hadoop Streaming. Runs where {@code
 * io.vdfs.mapreduce} runs, and only translates between that package and the old interfaces.
 */
package io.vdfs.mapreduce.mapred;
