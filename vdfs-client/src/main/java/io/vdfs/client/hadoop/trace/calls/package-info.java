/**
 * How calls get into a trace: single ones, those of streams, small ones of which are combined, and
 * those of listings. Of {@code trace} it uses {@code names}. Thread-safe, except for what belongs
 * to one stream or one listing.
 */
package io.vdfs.client.hadoop.trace.calls;
