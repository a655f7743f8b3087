/**
 * How commands reach a cluster, name its nodes, and show counters of nodes and the state of its
 * copies. Confined to the command's thread; used by all packages of the commands, uses none of
 * them.
 */
package io.vdfs.cli.cluster;
