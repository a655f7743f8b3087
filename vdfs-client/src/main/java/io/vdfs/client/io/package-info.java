/**
 * What reading and writing share in a client process: settings, counters, where groups lie, which
 * nodes failed of late, the memory for bytes on their way, and what a delivery is. Knows nodes and
 * file keys, not paths. Thread-safe, but for what says otherwise. No Hadoop types.
 */
package io.vdfs.client.io;
