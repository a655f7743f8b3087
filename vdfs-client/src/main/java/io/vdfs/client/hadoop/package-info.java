/**
 * VDFS as a Hadoop filesystem: translates Hadoop's paths, statuses, streams and exceptions, and
 * shares one client per cluster and user in the JVM. The only package of the client, with {@code
 * common.rpc}, that knows Hadoop. Thread-safe, but for streams' positions.
 */
package io.vdfs.client.hadoop;
