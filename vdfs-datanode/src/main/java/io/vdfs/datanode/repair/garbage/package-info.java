/**
 * Discards files that this node holds without need: those that are deleted, and those of which
 * other nodes keep all copies. Confined to the loop of repair.
 */
package io.vdfs.datanode.repair.garbage;
