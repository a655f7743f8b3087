/**
 * Calls to the metadata service that survive a change of leader, and the leases that are renewed
 * with them. Thread-safe; knows neither Hadoop nor files. Uses its own subpackages and {@code
 * common}.
 */
package io.vdfs.client.meta;
