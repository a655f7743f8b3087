package io.vdfs.datanode;

import io.vdfs.common.cluster.record.DeclaredGone;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives an id to a node none of whose data directories has one: a node that never ran, or one whose
 * disks are not mounted. Stateless.
 */
final class NewNode {
  private static final Logger LOG = LoggerFactory.getLogger(NewNode.class);

  /**
   * How often to look at what operators decided: the leader publishes it within a second, and a
   * start may follow the command that said it at once.
   */
  private static final int LOOKS = 4;

  private NewNode() {}

  /** What operators decided about nodes and volumes. */
  @FunctionalInterface
  interface Gone {
    /** What was declared gone, as published now. */
    DeclaredGone now() throws VdfsException;
  }

  /** Lets a second pass. */
  @FunctionalInterface
  interface Pause {
    void pass() throws VdfsException;
  }

  /** Where to see what operators decided, and how to wait for it. */
  record Decisions(Gone gone, Pause pause) {
    /** Whether operators have decided so, or it shows within a few looks. */
    boolean are(Predicate<DeclaredGone> so) throws VdfsException {
      for (int looks = 1; !so.test(gone.now()); looks++) {
        if (looks == LOOKS) {
          return false;
        }
        pause.pass();
      }
      return true;
    }
  }

  /**
   * @param ring the newest map, if there is one
   * @param controlPort as configured; 0 fits no node of the ring
   * @param acceptedEmpty data directories whose loss the operator has accepted
   * @param decisions asked where another node is known at this place
   * @throws VdfsException MISCONFIGURED where the ring has a node at this host and port that is not
   *     gone, and the loss of a data directory was not accepted
   */
  static NodeId id(
      Optional<RingMap> ring,
      String host,
      int controlPort,
      List<Path> dataDirectories,
      Set<Path> acceptedEmpty,
      Decisions decisions)
      throws VdfsException {
    Optional<RingNode> before =
        ring.stream()
            .flatMap(map -> map.nodes().values().stream())
            .filter(node -> node.host().equals(host) && node.controlPort() == controlPort)
            .findFirst();
    NodeId id = NodeId.random();
    if (before.isEmpty()) {
      return id;
    }
    if (!acceptedEmpty.containsAll(dataDirectories)
        && !decisions.are(gone -> gone.nodes().contains(before.get().id()))) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("no data directory has a volume, but the ring has a node at this place: node=%s,"
                  + " host=%s, controlPort=%s, directories=%s; mount its disks; or, if they are lost,"
                  + " say 'vdfs node replace %s' on a node that lives and start again, or start once"
                  + " with --accept-empty DIR for each directory: either makes a new node, which"
                  + " copies what it shall hold from others")
              .formatted(before.get().id(), host, controlPort, dataDirectories, before.get().id()));
    }
    LOG.warn(
        "A new node at the place of another, whose blocks are lost to it: node={}, before={}",
        id,
        before.get());
    return id;
  }
}
