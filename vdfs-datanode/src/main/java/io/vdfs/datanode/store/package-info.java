/**
 * The contract of a node's block store with the rest of the node, and its values. Decides nothing
 * about disks: {@code .group} carries out operations on a file, {@code .file} manages one combined
 * file, {@code .volume} one disk, {@code .load} finds at the start what is there, {@code .turns}
 * has readers and writers take turns, {@code .status} reports on all of it. Knows neither network
 * nor streams.
 */
package io.vdfs.datanode.store;
