/**
 * What reading and writing share in a client process: settings, counters, the memory for bytes on
 * their way, what a delivery is, and how replicas are asked. Where replicas lie and which nodes
 * failed recently is kept in {@code .replica}. Knows nodes and file keys, not paths. Thread-safe,
 * except for classes that say otherwise. No Hadoop types.
 */
package io.vdfs.client.io;
