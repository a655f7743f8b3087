/**
 * Files open for reading and for writing, as Hadoop's callers expect their streams, and how what is
 * still open is completed when a filesystem is closed. Callers' threads own what they read and
 * write; ranges are read, and files completed, by threads of this package. Of {@code client.hadoop}
 * it uses {@code cluster} and {@code terms}.
 */
package io.vdfs.client.hadoop.streams;
