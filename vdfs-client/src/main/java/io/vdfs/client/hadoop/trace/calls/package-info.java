/**
 * How a call gets into a trace: single ones, those of streams, which are put together where they
 * are small, and those of listings. Of {@code trace} it uses {@code names}. Thread-safe, but for
 * what belongs to one stream or one listing.
 */
package io.vdfs.client.hadoop.trace.calls;
