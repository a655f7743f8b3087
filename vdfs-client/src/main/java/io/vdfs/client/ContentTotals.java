package io.vdfs.client;

/**
 * What lies in a tree. Immutable.
 *
 * @param length bytes of all files, each counted once
 * @param spaceConsumed bytes of all replicas
 */
public record ContentTotals(long length, long files, long directories, long spaceConsumed) {}
