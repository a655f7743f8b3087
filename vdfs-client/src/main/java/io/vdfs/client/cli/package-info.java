/**
 * The commands of {@code bin/vdfs} that look at a running cluster, one class each. Confined to the
 * main thread; uses the client library, knows nothing of Hadoop.
 */
package io.vdfs.client.cli;
