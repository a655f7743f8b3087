package io.vdfs.datanode.stream;

/**
 * The next read of a disk. Immutable.
 *
 * @param small whether it serves a small read rather than a scan
 */
record Piece(Extent extent, boolean small) {}
