/**
 * VDFS as a Hadoop filesystem: the classes that Hadoop is configured with, and how each of their
 * calls reaches the client, in names, attributes, checksums, and in files that are opened, made or
 * deleted. Stands on {@code streams}, {@code values}, {@code locality}, {@code cluster} and {@code
 * terms}; these and {@code trace} are, with {@code common.rpc}, all of the client that knows
 * Hadoop. Thread-safe.
 */
package io.vdfs.client.hadoop;
