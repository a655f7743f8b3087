/** What the daemon runs of Hadoop's own: the emptier of users' trash. Thread-safe. */
package io.vdfs.datanode.hadoop;
