package io.vdfs.common.cluster.record;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import java.util.Objects;
import java.util.UUID;

/**
 * The properties that are fixed when a cluster is formatted. Immutable.
 *
 * @param replication copies asked for; a smaller cluster has as many as nodes
 * @param expectedNodes the first ring map is published when that many nodes live
 * @param metadataMembers members that the metadata group shall have; 0 where no number was asked
 *     for, so that it follows the ring, see {@link #membersFor}
 * @param superuser the owner of the root directory; permissions never bind the user that the
 *     daemons run as
 * @param supergroup group whose members are superusers too
 * @param minimumSplitBytes least input of a job that is worth a logical split
 * @param placement how files are dealt to the ring; each ring map has the same
 */
public record ClusterProperties(
    UUID clusterId,
    ClusterGeometry geometry,
    int replication,
    int expectedNodes,
    int metadataMembers,
    String superuser,
    String supergroup,
    long minimumSplitBytes,
    Placement placement) {
  public static final int DEFAULT_REPLICATION = 3;

  /** Members of the metadata group that survive the loss of one; larger groups may shrink to it. */
  public static final int LEAST_MEMBERS = 3;

  public static final long DEFAULT_MINIMUM_SPLIT_BYTES = 128L << 20;

  private static final int MAX_NODES = 10_000;
  private static final int MAX_METADATA_MEMBERS = 9;
  private static final int WIDE_GROUP = 5;
  private static final int MAX_NAME = 255;

  /**
   * @throws IllegalArgumentException if a value lies outside its range; the message names it
   */
  public ClusterProperties {
    Objects.requireNonNull(clusterId, "clusterId");
    Objects.requireNonNull(geometry, "geometry");
    Objects.requireNonNull(placement, "placement");
    checkRange("replication", replication, RingMap.MAX_REPLICATION);
    checkRange("expectedNodes", expectedNodes, MAX_NODES);
    int mostMembers = Math.min(expectedNodes, MAX_METADATA_MEMBERS);
    if (metadataMembers < 0 || metadataMembers > mostMembers) {
      throw new IllegalArgumentException(
          ("metadataMembers lies between 1 and %s, or is 0 for as many as suit the ring:"
                  + " metadataMembers=%s")
              .formatted(mostMembers, metadataMembers));
    }
    checkName("superuser", superuser);
    checkName("supergroup", supergroup);
    if (minimumSplitBytes < 1) {
      throw new IllegalArgumentException(
          "a split needs a byte: minimumSplitBytes=" + minimumSplitBytes);
    }
  }

  /**
   * Members that the metadata group shall have beside a ring of so many nodes: the number that was
   * asked for, else five where the ring has five nodes, so that names survive any two of them, else
   * three, else all.
   */
  public int membersFor(int ringNodes) {
    if (metadataMembers > 0) {
      return metadataMembers;
    }
    return ringNodes >= WIDE_GROUP ? WIDE_GROUP : Math.min(LEAST_MEMBERS, ringNodes);
  }

  private static void checkRange(String field, int value, int max) {
    if (value < 1 || value > max) {
      throw new IllegalArgumentException(
          field + " lies between 1 and " + max + ": " + field + "=" + value);
    }
  }

  private static void checkName(String field, String name) {
    if (name.isEmpty() || name.length() > MAX_NAME || name.chars().anyMatch(c -> c <= ' ')) {
      throw new IllegalArgumentException(
          "%s must have 1 to 255 characters and no blanks: %s=%s"
              .formatted(field, field, name.replaceAll("\\p{Cntrl}", "?")));
    }
  }
}
