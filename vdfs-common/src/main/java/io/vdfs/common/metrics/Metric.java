package io.vdfs.common.metrics;

import java.util.Optional;

/**
 * A number at a moment. Immutable.
 *
 * @param group which part of the process counts it
 * @param level whether it goes up and down rather than only up
 * @param part which of several like things it is of; empty where there is one
 */
public record Metric(
    String group, String name, String label, boolean level, long value, Optional<Part> part) {
  /**
   * One of several like things.
   *
   * @param kind what they are, such as {@code directory}
   * @param name of this one
   */
  public record Part(String kind, String name) {}

  /** A number of a thing of which there is only one. */
  public Metric(String group, String name, String label, boolean level, long value) {
    this(group, name, label, level, value, Optional.empty());
  }

  /** Its name, unique within the group. */
  public String key() {
    return part.map(of -> name + "[" + of.name() + "]").orElse(name);
  }
}
