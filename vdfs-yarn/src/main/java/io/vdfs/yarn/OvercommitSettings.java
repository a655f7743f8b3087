package io.vdfs.yarn;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;

/**
 * The settings of the plug-in. Immutable.
 *
 * @param factor vcores for each processor at the start
 * @param least adaptive: lower bound of vcores for each processor
 * @param most adaptive: upper bound of vcores for each processor
 * @param memoryLeast adaptive: lower bound in MiB, if set; room for the least container
 * @param memoryMost adaptive: upper bound in MiB, if set; room for the least container
 * @param memoryReserve adaptive: MiB that are left to everything else in any case
 * @param leastContainer MiB of the least container that the scheduler gives
 * @param settling least time from one change to the next
 * @param dataNode {@code HOST:PORT} where the node's DataNode shows its counters
 */
record OvercommitSettings(
    OvercommitMode mode,
    double factor,
    double least,
    double most,
    OptionalLong memoryLeast,
    OptionalLong memoryMost,
    long memoryReserve,
    long leastContainer,
    Duration settling,
    Optional<HostPort> dataNode) {
  private static final String NODE_MEMORY =
      YarnConfiguration.NM_RESOURCES_PREFIX + ResourceInformation.MEMORY_MB.getName();
  private static final double MOST_FACTOR = 64;
  private static final long MOST_MEMORY = 64L << 20;
  private static final Duration SHORTEST = Duration.ofSeconds(2);
  private static final Duration LONGEST = Duration.ofHours(1);

  /**
   * @throws RefusedException at the first setting that is wrong
   */
  static OvercommitSettings of(Configuration conf) throws RefusedException {
    refuseUnknown(conf);
    OvercommitMode mode = mode(conf);
    if (mode == OvercommitMode.ADAPTIVE) {
      refuseOtherResources();
      refuseOtherMemory(conf);
    }
    double least = factor(conf, OvercommitKeys.FACTOR_MIN, 1);
    double most = factor(conf, OvercommitKeys.FACTOR_MAX, Math.max(4, least));
    double factor =
        factor(conf, OvercommitKeys.FACTOR, mode == OvercommitMode.ADAPTIVE ? least : 1);
    OvercommitSettings settings =
        new OvercommitSettings(
            mode,
            factor,
            least,
            most,
            memoryLeast(conf),
            memoryMost(conf),
            memory(conf, OvercommitKeys.MEMORY_RESERVE).orElse(512),
            leastContainer(conf),
            settling(conf),
            HostPort.parse(OvercommitKeys.DATANODE, conf.getTrimmed(OvercommitKeys.DATANODE, "")));
    settings.requireOrder();
    return settings;
  }

  private static void refuseUnknown(Configuration conf) throws RefusedException {
    Map<String, String> ours = conf.getPropsWithPrefix(OvercommitKeys.PREFIX);
    for (String name : new TreeSet<>(ours.keySet())) {
      String key = OvercommitKeys.PREFIX + name;
      if (!OvercommitKeys.ALL.contains(key)) {
        throw new RefusedException(
            "unknown setting: %s=%s; there are %s"
                .formatted(
                    key, ours.get(name), String.join(", ", new TreeSet<>(OvercommitKeys.ALL))));
      }
    }
  }

  /** A change names memory and vcores only, and the ResourceManager sets all others to 0. */
  private static void refuseOtherResources() throws RefusedException {
    Set<String> others = new TreeSet<>(ResourceUtils.getResourceTypes().keySet());
    others.remove(ResourceInformation.MEMORY_URI);
    others.remove(ResourceInformation.VCORES_URI);
    if (!others.isEmpty()) {
      throw new RefusedException(
          ("%s=adaptive would take other resources from the node: %s=%s; set the first to static"
                  + " here")
              .formatted(
                  OvercommitKeys.MODE, YarnConfiguration.RESOURCE_TYPES, String.join(",", others)));
    }
  }

  /** It would be advertised at the start in place of what the bounds allow. */
  private static void refuseOtherMemory(Configuration conf) throws RefusedException {
    String memory = conf.getTrimmed(NODE_MEMORY, "0");
    if (!memory.equals("0")) {
      throw new RefusedException(
          "%s=%s says how much memory there is, whatever adapts; remove it, and set %s"
              .formatted(NODE_MEMORY, memory, YarnConfiguration.NM_PMEM_MB));
    }
  }

  private static OvercommitMode mode(Configuration conf) throws RefusedException {
    String text = conf.getTrimmed(OvercommitKeys.MODE, "static");
    return Arrays.stream(OvercommitMode.values())
        .filter(mode -> mode.name().toLowerCase(Locale.ROOT).equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                RefusedException.of(
                    OvercommitKeys.MODE, text, "expected static or adaptive", Optional.empty()));
  }

  private static double factor(Configuration conf, String key, double fallback)
      throws RefusedException {
    String text = conf.getTrimmed(key);
    if (text == null) {
      return fallback;
    }
    String expected = "expected a number from 1 to 64";
    try {
      double factor = Double.parseDouble(text);
      if (factor >= 1 && factor <= MOST_FACTOR) {
        return factor;
      }
      throw RefusedException.of(key, text, expected, Optional.empty());
    } catch (NumberFormatException e) {
      throw RefusedException.of(key, text, expected, Optional.of(e));
    }
  }

  private static OptionalLong memoryLeast(Configuration conf) throws RefusedException {
    OptionalLong memory = memory(conf, OvercommitKeys.MEMORY_MIN);
    return memory.isEmpty()
        ? memory
        : OptionalLong.of(Math.max(memory.getAsLong(), leastContainer(conf)));
  }

  private static OptionalLong memoryMost(Configuration conf) throws RefusedException {
    OptionalLong memory = memory(conf, OvercommitKeys.MEMORY_MAX);
    if (memory.isPresent() && memory.getAsLong() < leastContainer(conf)) {
      throw outOfOrder(
          YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
          leastContainer(conf),
          OvercommitKeys.MEMORY_MAX,
          memory.getAsLong());
    }
    return memory;
  }

  /** The ResourceManager turns a node away that registers with less. */
  private static long leastContainer(Configuration conf) throws RefusedException {
    return Math.max(
        1,
        memory(conf, YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB)
            .orElse(YarnConfiguration.DEFAULT_RM_SCHEDULER_MINIMUM_ALLOCATION_MB));
  }

  private static OptionalLong memory(Configuration conf, String key) throws RefusedException {
    String text = conf.getTrimmed(key);
    if (text == null) {
      return OptionalLong.empty();
    }
    String expected = "expected a whole number of MiB";
    try {
      long memory = Long.parseLong(text);
      if (memory >= 0 && memory <= MOST_MEMORY) {
        return OptionalLong.of(memory);
      }
      throw RefusedException.of(key, text, expected, Optional.empty());
    } catch (NumberFormatException e) {
      throw RefusedException.of(key, text, expected, Optional.of(e));
    }
  }

  private static Duration settling(Configuration conf) throws RefusedException {
    String key = OvercommitKeys.SETTLING_TIME;
    String text = conf.getTrimmed(key, "15s");
    String expected = "expected a time from 2s to 1h, such as 15s";
    try {
      Duration settling = Duration.ofMillis(conf.getTimeDuration(key, text, TimeUnit.MILLISECONDS));
      if (settling.compareTo(SHORTEST) >= 0 && settling.compareTo(LONGEST) <= 0) {
        return settling;
      }
      throw RefusedException.of(key, text, expected, Optional.empty());
    } catch (NumberFormatException e) {
      throw RefusedException.of(key, text, expected, Optional.of(e));
    }
  }

  private void requireOrder() throws RefusedException {
    if (least > most) {
      throw outOfOrder(OvercommitKeys.FACTOR_MIN, least, OvercommitKeys.FACTOR_MAX, most);
    }
    if (mode == OvercommitMode.ADAPTIVE && factor < least) {
      throw outOfOrder(OvercommitKeys.FACTOR_MIN, least, OvercommitKeys.FACTOR, factor);
    }
    if (mode == OvercommitMode.ADAPTIVE && factor > most) {
      throw outOfOrder(OvercommitKeys.FACTOR, factor, OvercommitKeys.FACTOR_MAX, most);
    }
    if (memoryLeast.orElse(0) > memoryMost.orElse(Long.MAX_VALUE)) {
      throw outOfOrder(
          OvercommitKeys.MEMORY_MIN,
          memoryLeast.getAsLong(),
          OvercommitKeys.MEMORY_MAX,
          memoryMost.getAsLong());
    }
  }

  private static RefusedException outOfOrder(String low, Object least, String high, Object most) {
    return new RefusedException(
        low + "=" + least + " lies above " + high + "=" + most + "; lower it or raise the other");
  }
}
