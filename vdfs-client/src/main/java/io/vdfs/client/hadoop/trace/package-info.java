/**
 * A filesystem around any other one of Hadoop's, scheme {@code trace}, that records all calls and
 * passes them on. Records go to {@code client.trace}. This package has the filesystems, how they
 * are opened and where their traces go; {@code .calls} records single calls and those of streams,
 * {@code .names} translates paths. Thread-safe, except for streams' positions.
 */
package io.vdfs.client.hadoop.trace;
