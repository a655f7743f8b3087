package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.Objects;

/**
 * A node as it publishes itself. Immutable.
 *
 * @param host name that clients connect to and that YARN knows the node by
 * @param webPort 0 where the node serves no web page
 * @param rack network location such as {@code /default-rack}
 * @param cores cores offered to the tasks of one job
 * @param weight share of the ring relative to the other nodes, see {@link NodeWeight}
 */
public record RingNode(
    NodeId id,
    String host,
    int controlPort,
    int dataPort,
    int raftPort,
    int webPort,
    String rack,
    int cores,
    double weight) {
  private static final int MAX_NAME = 255;
  private static final int MAX_CORES = 65_536;

  /**
   * @throws IllegalArgumentException if a value lies outside its range; the message names it
   */
  public RingNode {
    Objects.requireNonNull(id, "id");
    checkName("host", host);
    checkPort("controlPort", controlPort, 1);
    checkPort("dataPort", dataPort, 1);
    checkPort("raftPort", raftPort, 1);
    checkPort("webPort", webPort, 0);
    checkName("rack", rack);
    if (cores < 1 || cores > MAX_CORES) {
      throw new IllegalArgumentException("a node has 1 to 65536 cores: cores=" + cores);
    }
    NodeWeight.check(weight);
  }

  /**
   * This node with another weight.
   *
   * @throws IllegalArgumentException if it lies outside its range
   */
  RingNode withWeight(double other) {
    return new RingNode(id, host, controlPort, dataPort, raftPort, webPort, rack, cores, other);
  }

  private static void checkName(String field, String name) {
    if (name.isEmpty() || name.length() > MAX_NAME) {
      throw new IllegalArgumentException(
          field + " must have 1 to 255 characters: length=" + name.length());
    }
    if (name.chars().anyMatch(c -> c <= ' ' || c == 0x7f)) {
      throw new IllegalArgumentException(
          "%s must not contain blanks or control characters: %s=%s"
              .formatted(field, field, printable(name)));
    }
  }

  private static String printable(String name) {
    return name.replaceAll("\\p{Cntrl}", "?");
  }

  private static void checkPort(String field, int port, int min) {
    if (port < min || port > 65_535) {
      throw new IllegalArgumentException(
          "a port lies between " + min + " and 65535: " + field + "=" + port);
    }
  }
}
