/**
 * A filesystem around any other one of Hadoop's, scheme {@code trace}, that records what is asked
 * of it and passes everything on. What is recorded goes to {@code client.trace}. Here are the
 * filesystems, how they are opened and where their traces go; {@code .calls} records single calls
 * and those of streams, {@code .names} translates paths. Thread-safe, but for streams' positions.
 */
package io.vdfs.client.hadoop.trace;
