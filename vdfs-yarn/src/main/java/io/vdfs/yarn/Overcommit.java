package io.vdfs.yarn;

import java.util.Optional;

/**
 * The outcome of reading the settings when the node started. Immutable.
 *
 * @param plan what the node does; empty where a setting was refused
 * @param refusal the setting and its cure; empty where none was refused
 */
record Overcommit(Optional<Plan> plan, Optional<String> refusal) {
  /** Settings that can be followed, and the processors of the node. */
  record Plan(OvercommitSettings settings, NodeProcessors processors) {}

  static Overcommit on(OvercommitSettings settings, NodeProcessors processors) {
    return new Overcommit(Optional.of(new Plan(settings, processors)), Optional.empty());
  }

  static Overcommit refused(String why) {
    return new Overcommit(Optional.empty(), Optional.of(why));
  }
}
