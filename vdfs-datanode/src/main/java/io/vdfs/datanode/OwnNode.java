package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.NodeWeight;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.machine.HostNames;
import io.vdfs.datanode.machine.ProcessStart;
import io.vdfs.datanode.report.NodeVolumes;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.load.StoreOpener;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node as the others know it: its id, its addresses, how much it is to hold. */
record OwnNode(DaemonSettings settings, ClusterDirectory directory) {
  private static final Logger LOG = LoggerFactory.getLogger(OwnNode.class);

  /**
   * The id that stands on its volumes, or an id for a new node.
   *
   * @param acceptedEmpty data directories that become new volumes if they are empty
   */
  NodeId id(Set<Path> acceptedEmpty) throws VdfsException {
    Optional<NodeId> id = StoreOpener.nodeOf(settings.storage().directories());
    return id.isPresent()
        ? id.get()
        : NewNode.id(
            directory.ringMap(),
            settings.node().host(),
            settings.node().ports().control(),
            settings.storage().directories(),
            acceptedEmpty,
            decisions());
  }

  private NewNode.Decisions decisions() {
    return new NewNode.Decisions(directory::gone, OwnNode::pause);
  }

  /**
   * Those of this node's missing volumes that operators gave up; none while ZooKeeper does not
   * tell.
   *
   * @param patient whether to wait a moment for what an operator has just said
   */
  Set<UUID> givenUp(Set<UUID> missing, boolean patient) {
    Set<UUID> givenUp = new HashSet<>(missing);
    try {
      if (patient) {
        boolean any = decisions().are(gone -> !Collections.disjoint(gone.volumes(), missing));
        LOG.info("Volumes of this node are missing: volumes={}, any given up={}", missing, any);
      }
      givenUp.retainAll(directory.gone().volumes());
      return givenUp;
    } catch (VdfsException e) {
      LOG.warn("It is not known which volumes were given up: missing={}", missing, e);
      return Set.of();
    }
  }

  private static void pause() throws VdfsException {
    try {
      TimeUnit.SECONDS.sleep(1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VdfsException(ErrorCode.UNAVAILABLE, "the start was interrupted", e);
    }
  }

  void requireReachable(NodeId id) throws VdfsException {
    ClusterSnapshot now = directory.snapshot();
    List<RingNode> registered = new ArrayList<>(now.liveRingNodes());
    now.ringMap().ifPresent(map -> registered.addAll(map.nodes().values()));
    HostNames.SYSTEM.requireReachable(settings.node().host(), id, registered);
  }

  /**
   * When this process began: later than any earlier process of this node.
   *
   * @param keepsMetadata whether the metadata directory can be used
   */
  Instant started(Clock clock, boolean keepsMetadata) throws VdfsException {
    return keepsMetadata
        ? new ProcessStart(settings.metadata().directory().resolve("last-start")).next(clock)
        : clock.instant();
  }

  /**
   * Where the metadata group reaches this node, now and after the next start.
   *
   * @param keepsMetadata whether the metadata directory can be used
   */
  int raftPort(boolean keepsMetadata) throws VdfsException {
    if (settings.node().ports().raft() != 0) {
      return settings.node().ports().raft();
    }
    return keepsMetadata
        ? StickyPort.get(
            settings.metadata().directory().resolve("raft.port"), settings.node().bindAddress())
        : StickyPort.choose(settings.node().bindAddress());
  }

  /** The weight with which this node joins, or would join, the ring. */
  double weight(BlockStore store) {
    double set = settings.node().weight();
    return set > 0 ? set : NodeWeight.ofCapacity(NodeVolumes.capacity(store));
  }

  /**
   * @param ports at which it listens
   */
  RingNode describe(NodeId id, DaemonSettings.Ports ports, int webPort, double weight) {
    return new RingNode(
        id,
        settings.node().host(),
        ports.control(),
        ports.data(),
        ports.raft(),
        webPort,
        settings.node().rack(),
        settings.node().cores(),
        weight);
  }
}
