/**
 * What the block store of a node promises to the rest of it, and in which values. Decides nothing
 * about disks: {@code .group} carries out what is done to a file, {@code .file} has one combined
 * file, {@code .volume} one disk, {@code .load} finds at the start what is there, {@code .turns}
 * has readers and writers take turns, {@code .status} is what is told of it all. Knows neither
 * network nor streams.
 */
package io.vdfs.datanode.store;
