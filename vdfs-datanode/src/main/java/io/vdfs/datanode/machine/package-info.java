/**
 * What the node's machine tells: its names and ports, its disks and memory, when the node last
 * started. Decides nothing about the cluster. For any thread.
 */
package io.vdfs.datanode.machine;
