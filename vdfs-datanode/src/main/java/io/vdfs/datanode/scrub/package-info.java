/**
 * Reads all that a node holds back in the course of days, so that what rots on a disk is found
 * while other nodes have good copies. What is damaged is told to repair; nothing is changed here.
 */
package io.vdfs.datanode.scrub;
