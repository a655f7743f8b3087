/**
 * One disk of the node, and which of them a group goes to ({@code VolumeChoice}): its room and
 * health, which files are open, names below it and which of them survive a power cut. Each volume
 * has one thread that forces in the background; all else runs on the thread that asks. Knows no
 * blocks.
 */
package io.vdfs.datanode.store.volume;
