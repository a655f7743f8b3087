package io.vdfs.datanode.shm;

import java.nio.file.Path;

/** A segment and the name by which its reader opens it. */
record Segment(Path path, SegmentFile file) {}
