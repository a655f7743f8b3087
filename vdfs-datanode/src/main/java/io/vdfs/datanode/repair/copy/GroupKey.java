package io.vdfs.datanode.repair.copy;

import io.vdfs.common.model.FileKey;

/** Names a group of a file. Immutable. */
public record GroupKey(FileKey file, int group) {}
