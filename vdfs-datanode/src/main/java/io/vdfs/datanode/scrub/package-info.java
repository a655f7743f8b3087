/**
 * Reads back all that a node holds, over the course of days, so that rot on a disk is found while
 * other nodes have good copies. Damage is reported to repair; nothing is changed here.
 */
package io.vdfs.datanode.scrub;
