/**
 * Facts of the node's machine: its names and ports, its disks and memory, the last start of the
 * node. Decides nothing about the cluster. For any thread.
 */
package io.vdfs.datanode.machine;
