package io.vdfs.yarn;

import java.util.Optional;

/**
 * The outcome of reading the settings when the node started. Immutable.
 *
 * @param plan what the node does; empty where a setting was refused
 * @param refusal the setting and its cure; empty where none was refused
 */
record Overcommit(Optional<Plan> plan, Optional<String> refusal) {
  /**
   * Settings that can be followed.
   *
   * @param memory that is configured for containers, in MiB
   * @param bounds of a node that adapts; empty in static mode
   */
  record Plan(
      OvercommitSettings settings,
      NodeProcessors processors,
      long memory,
      Optional<Bounds> bounds) {}

  static Overcommit on(Plan plan) {
    return new Overcommit(Optional.of(plan), Optional.empty());
  }

  static Overcommit refused(String why) {
    return new Overcommit(Optional.empty(), Optional.of(why));
  }
}
