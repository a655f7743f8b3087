package io.vdfs.client.ledger;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;

/**
 * Consecutive blocks of one file within one group, which a task owns. Immutable.
 *
 * @param fileLength as the job was planned on
 * @param path of the file at that time, without scheme and authority
 * @param blockCount at least 1
 * @param offset of the first byte in the file
 * @param owner the node whose pool the run came from
 * @param stolen whether a task on another node took it
 */
public record DrawnRun(
    FileKey file,
    long fileLength,
    String path,
    long firstBlock,
    int blockCount,
    long offset,
    long bytes,
    NodeId owner,
    boolean stolen) {}
