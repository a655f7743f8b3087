/**
 * Traces of filesystem calls: what is recorded, the bounded queue that callers put it into, the
 * thread that writes it, and the format of the files. Knows no Hadoop: who traces what is settled
 * by {@code client.hadoop.trace}. Callers of any thread use {@link
 * io.vdfs.client.trace.TraceRecorder}; all else belongs to its writer thread or to one who reads a
 * file.
 */
package io.vdfs.client.trace;
