/**
 * What the machine under a node says: its names and ports, its disks and memory, when the node last
 * started. Decides nothing about the cluster. For any thread.
 */
package io.vdfs.datanode.machine;
