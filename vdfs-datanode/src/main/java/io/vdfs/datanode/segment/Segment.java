package io.vdfs.datanode.segment;

import java.nio.file.Path;

/** A segment and the name by which its reader opens it. */
record Segment(Path path, SegmentFile file) {}
