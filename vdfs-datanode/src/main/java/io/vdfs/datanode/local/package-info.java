/**
 * Local delivery: lets processes on this machine read closed groups from the combined files by
 * themselves, under names that die with their connections. Called by the data plane; knows the
 * block store and the order of reads, not the network.
 */
package io.vdfs.datanode.local;
