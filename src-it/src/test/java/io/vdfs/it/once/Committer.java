package io.vdfs.it.once;

import java.util.Map;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterFactory;

/** Ways to commit output; the audit wraps them all. */
enum Committer {
  ALGORITHM_1("mapreduce.fileoutputcommitter.algorithm.version", "1"),
  ALGORITHM_2("mapreduce.fileoutputcommitter.algorithm.version", "2"),
  MANIFEST(
      PathOutputCommitterFactory.COMMITTER_FACTORY_CLASS, ManifestCommitterFactory.class.getName());

  private final String key;
  private final String value;

  Committer(String key, String value) {
    this.key = key;
    this.value = value;
  }

  /** Job properties that choose it. */
  Map<String, String> options() {
    return Map.of(key, value);
  }

  /** Whether the old API has it, which has no committer factories. */
  boolean isInOldApi() {
    return this != MANIFEST;
  }

  /** Whether an ApplicationMaster that follows another takes over finished tasks. */
  boolean recovers() {
    return this != MANIFEST;
  }
}
