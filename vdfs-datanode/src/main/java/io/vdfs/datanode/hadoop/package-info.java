/** The part of Hadoop that the daemon runs: the emptier of users' trash. Thread-safe. */
package io.vdfs.datanode.hadoop;
