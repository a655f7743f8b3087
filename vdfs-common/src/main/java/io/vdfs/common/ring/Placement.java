package io.vdfs.common.ring;

import io.vdfs.common.model.InodeIds;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * How the groups of files are dealt to the arcs of the ring. Chosen when a cluster is formatted and
 * part of its on-disk contract: a reader that uses another rule than the writer finds no block.
 * Each rule follows from the file's id and the number of the group alone, so that nothing is stored
 * per file, group or block, and a change of the ring moves what its arcs move. Pure.
 */
public enum Placement {
  /**
   * Files take their first arcs in turn, in the order of {@link TurnOrder}; the groups of a file
   * lie on consecutive arcs.
   */
  TURN(1) {
    @Override
    int arcOf(long fileId, int group, int arcs) {
      return following(TurnOrder.arc(InodeIds.number(fileId), arcs), group, arcs);
    }
  },

  /** The first arc follows from a hash of the id; the groups of a file lie on consecutive arcs. */
  HASH(2) {
    @Override
    int arcOf(long fileId, int group, int arcs) {
      return following(RingHash.arc(fileId, arcs), group, arcs);
    }
  },

  /** Each group lies on an arc of its own hash: the rule that others are measured against. */
  RANDOM(3) {
    @Override
    int arcOf(long fileId, int group, int arcs) {
      return RingHash.arc(RingHash.mix(fileId) + group, arcs);
    }

    @Override
    int groupsOnAllArcs(int groups, int arcs) {
      return groups;
    }
  };

  private final int wireNumber;

  Placement(int wireNumber) {
    this.wireNumber = wireNumber;
  }

  /**
   * @param group from 0
   * @param arcs of the ring
   */
  abstract int arcOf(long fileId, int group, int arcs);

  /**
   * The first groups of a file that lie on all arcs that any of its groups lies on.
   *
   * @param groups of the file
   */
  int groupsOnAllArcs(int groups, int arcs) {
    return Math.min(groups, arcs);
  }

  /** How it is written in records; never changes its meaning. */
  public int wireNumber() {
    return wireNumber;
  }

  /**
   * @throws IllegalArgumentException if this release has no such rule
   */
  public static Placement ofWire(int wireNumber) {
    return Arrays.stream(values())
        .filter(placement -> placement.wireNumber == wireNumber)
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    ("unknown placement: placement=%s, known=%s; use the release that the cluster was"
                            + " formatted with, or a later one")
                        .formatted(
                            Integer.toUnsignedString(wireNumber),
                            Arrays.stream(values())
                                .map(placement -> placement + "=" + placement.wireNumber)
                                .toList())));
  }

  /**
   * @param name as users write it, which is {@link #toString}
   * @throws IllegalArgumentException if there is no such rule
   */
  public static Placement named(String name) {
    return Arrays.stream(values())
        .filter(placement -> placement.toString().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "unknown placement: placement=%s; use one of %s"
                        .formatted(
                            name,
                            Arrays.stream(values())
                                .map(Placement::toString)
                                .collect(Collectors.joining(", ")))));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static int following(int first, int group, int arcs) {
    return (int) (((long) first + group) % arcs);
  }
}
