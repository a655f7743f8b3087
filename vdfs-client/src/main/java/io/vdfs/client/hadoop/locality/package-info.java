/**
 * How far the nodes are that files are read from, by Hadoop's tree of racks, and how much came from
 * where. Thread-safe. Uses no other package of {@code client.hadoop}.
 */
package io.vdfs.client.hadoop.locality;
