package io.vdfs.datanode.store.index;

import io.vdfs.common.model.FileKey;

/** A block of a file's content. Immutable. */
public record BlockKey(FileKey file, long block) {}
