/**
 * What the block store of a node promises to the rest of it, and in which values; how many readers
 * and writers of a disk take turns. Decides nothing about disks: {@code .group} carries out what is
 * done to a file, {@code .file} has one combined file, {@code .volume} one disk, {@code .load}
 * finds at the start what is there. Knows neither network nor streams.
 */
package io.vdfs.datanode.store;
