/**
 * Which cluster a URI means, how it is configured, and the clients of this JVM, one per cluster and
 * user. Thread-safe. Knows no files: all packages of {@code client.hadoop} may use it; it uses none
 * of them.
 */
package io.vdfs.client.hadoop.cluster;
