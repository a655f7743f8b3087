package io.vdfs.mapreduce.plan;

import org.apache.hadoop.fs.Path;

/** A range of one file that a task reads now. Immutable. */
public record TaskRun(Path path, long offset, long bytes) {}
