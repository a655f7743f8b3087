/**
 * Traces of filesystem calls: what is recorded, the bounded queue that callers put it into, the
 * thread that writes it, and the format of the files. Knows no Hadoop: {@code client.hadoop.trace}
 * decides what is traced. Callers of any thread use {@link io.vdfs.client.trace.TraceRecorder}; all
 * else belongs to its writer thread or to the reader of a file.
 */
package io.vdfs.client.trace;
