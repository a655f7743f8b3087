/**
 * The metadata of the filesystem: inodes, names, leases, deletions, and the ledgers of sessions, as
 * one deterministic state. Confined to the metadata loop; uses {@code common} and {@code ledger},
 * knows neither Raft nor Hadoop.
 */
package io.vdfs.datanode.meta;
