/**
 * The client library: files, directories and ledgers of one cluster as one user, without Hadoop's
 * types. Thread-safe, but for readers' positions and writers; uses {@code meta}, {@code read} and
 * {@code write}.
 */
package io.vdfs.client;
