package io.vdfs.client.hadoop.cluster;

import io.vdfs.common.config.NearestName;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warns of keys below {@code fs.vdfs.} that are never read, once each: a misspelt one would
 * silently mean its default. Thread-safe.
 */
public final class UnknownKeys {
  /** Those of this JVM. */
  public static final UnknownKeys JVM = new UnknownKeys();

  private static final Logger LOG = LoggerFactory.getLogger(UnknownKeys.class);
  private static final String PREFIX = "fs.vdfs.";

  private static final Set<String> KEYS = keys();

  /** Endings of keys that name a cluster. */
  private static final List<String> OF_A_CLUSTER =
      List.of(ClusterKeys.ZOOKEEPER_SUFFIX, ClusterKeys.NODES_SUFFIX, ClusterKeys.HINTS_SUFFIX);

  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /** Logs what {@link #complaints} has to say. */
  public void warn(Configuration configuration) {
    complaints(configuration).forEach(LOG::warn);
  }

  /** One line for each unknown key that was in no configuration before. */
  List<String> complaints(Configuration configuration) {
    List<String> lines = new ArrayList<>();
    for (String rest : configuration.getPropsWithPrefix(PREFIX).keySet()) {
      String key = PREFIX + rest;
      if (!isKnown(key) && told.add(key)) {
        lines.add(
            "unknown key in the configuration, it changes nothing: %s; did you mean %s?"
                .formatted(key, NearestName.of(key, candidates(key))));
      }
    }
    return lines;
  }

  private static boolean isKnown(String key) {
    return KEYS.contains(key)
        || OF_A_CLUSTER.stream()
            .anyMatch(
                suffix ->
                    key.startsWith(ClusterKeys.PREFIX)
                        && key.endsWith(suffix)
                        && key.length() > ClusterKeys.PREFIX.length() + suffix.length());
  }

  /** All known keys, among them those of the cluster that {@code key} may be about. */
  private static Set<String> candidates(String key) {
    Set<String> names = new TreeSet<>(KEYS);
    if (key.startsWith(ClusterKeys.PREFIX)) {
      int end = key.indexOf('.', ClusterKeys.PREFIX.length());
      String cluster = end < 0 ? key : key.substring(0, end);
      OF_A_CLUSTER.forEach(suffix -> names.add(cluster + suffix));
    }
    return names;
  }

  private static Set<String> keys() {
    Set<String> keys = new TreeSet<>(ClientSettings.KEYS);
    keys.add(ClusterKeys.DEFAULT_CLUSTER);
    keys.add(ClusterKeys.ROOT);
    // what Hadoop reads of any scheme
    keys.add("fs.vdfs.impl");
    keys.add("fs.vdfs.impl.disable.cache");
    return Set.copyOf(keys);
  }
}
