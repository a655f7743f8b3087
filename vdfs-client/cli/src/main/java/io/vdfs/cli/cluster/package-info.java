/**
 * How commands reach a cluster, name its nodes, and tell of what nodes count and of its copies.
 * Confined to the command's thread; used by all rooms, knows none.
 */
package io.vdfs.cli.cluster;
