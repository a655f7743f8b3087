/**
 * The bytes of files by path: opening for reading and writing, leases, quotas and checksums, and
 * changes that write a file anew. {@link io.vdfs.client.files.ContentAccess} stands for the data
 * plane, which this package does not know. Thread-safe, except for cursors and writers. Of the
 * client it uses {@code names}, {@code place}, {@code meta} and, for what readers are told, {@code
 * io} and {@code read}.
 */
package io.vdfs.client.files;
