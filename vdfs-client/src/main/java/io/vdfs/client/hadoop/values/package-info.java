/**
 * Facts about files, in Hadoop's types and in ours: statuses and listings of them, checksums, ACLs,
 * names of attributes, handles, options. Thread-safe, except for a listing or a checksum under way.
 * Knows no filesystem: a class that needs the cluster is given a client. Of {@code client.hadoop}
 * it uses {@code terms} only.
 */
package io.vdfs.client.hadoop.values;
