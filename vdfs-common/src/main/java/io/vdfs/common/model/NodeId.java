package io.vdfs.common.model;

import java.util.Objects;
import java.util.UUID;

/** Stable identity of a DataNode, made when its first volume is initialised. Immutable. */
public record NodeId(UUID uuid) implements Comparable<NodeId> {
  public NodeId {
    Objects.requireNonNull(uuid, "uuid");
  }

  public static NodeId random() {
    return new NodeId(UUID.randomUUID());
  }

  /**
   * @throws IllegalArgumentException if {@code text} is not the canonical form of a UUID
   */
  public static NodeId parse(String text) {
    return new NodeId(UUID.fromString(text));
  }

  @Override
  public int compareTo(NodeId other) {
    return uuid.compareTo(other.uuid);
  }

  // The equals and hashCode that records have by themselves are assembled from method handles at
  // their first use in a JVM. Even clients that only ask for a name use these, so they are written
  // out.

  @Override
  public boolean equals(Object other) {
    return other instanceof NodeId node && uuid.equals(node.uuid);
  }

  @Override
  public int hashCode() {
    return uuid.hashCode();
  }

  @Override
  public String toString() {
    return uuid.toString();
  }
}
