package io.vdfs.client.names;

import java.util.OptionalLong;

/**
 * The totals of a tree. Immutable.
 *
 * @param length bytes of all files, each counted once
 * @param spaceConsumed bytes of all replicas
 * @param inodes files and directories
 * @param inodeLimit quota of the tree's top
 * @param spaceLimit likewise
 */
public record ContentTotals(
    long length,
    long files,
    long directories,
    long spaceConsumed,
    long inodes,
    OptionalLong inodeLimit,
    OptionalLong spaceLimit) {}
