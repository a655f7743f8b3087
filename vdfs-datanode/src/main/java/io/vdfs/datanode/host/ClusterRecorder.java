package io.vdfs.datanode.host;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterPaths;
import io.vdfs.common.cluster.ClusterRestore;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.DeclaredGone;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RecordClusterOp;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import io.vdfs.datanode.meta.state.nodes.NodeMarks;
import io.vdfs.datanode.meta.state.nodes.RecordedVolumes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps ZooKeeper's records in step with the metadata group's record of the cluster, on the node
 * that leads the group; on others it only waits. Publishes each change of the recorded ring map,
 * and the nodes and volumes that operators declared gone. Reports and gives back what ZooKeeper
 * lost. Records the first map, and a newer map that ZooKeeper shows because the group lost its
 * newest entries. Has a thread of its own.
 */
public final class ClusterRecorder implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterRecorder.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final MetadataHost host;
  private final ClusterDirectory directory;
  private final CuratorFramework curator;
  private final ClusterPaths paths;
  private final ThreadServiceLoop loop = new ThreadServiceLoop("vdfs-cluster-recorder");
  // confined to the loop
  private Optional<InStep> inStep = Optional.empty();
  private Optional<DeclaredGone> shownGone = Optional.empty();
  private long published;
  private String lastFailure = "";

  /** States of the two records that change, as ZooKeeper numbers its changes. */
  private record Versions(long ring, long group) {}

  /** Records of these versions were found to be as recorded with a ring map of this epoch. */
  private record InStep(Versions versions, long epoch) {}

  private ClusterRecorder(MetadataHost host, ClusterDirectory directory) {
    this.host = host;
    this.directory = directory;
    this.curator = directory.curator();
    this.paths = directory.paths();
  }

  public static ClusterRecorder start(MetadataHost host, ClusterDirectory directory) {
    ClusterRecorder recorder = new ClusterRecorder(host, directory);
    recorder.loop.schedule(PERIOD, recorder::look);
    return recorder;
  }

  private void look() {
    try {
      Optional<? extends LeaderCalls> group = host.dispatcher();
      if (group.isPresent() && host.member().filter(GroupMember::isLeader).isPresent()) {
        keepInStep(group.get());
        lastFailure = "";
      } else {
        forget();
      }
    } catch (Exception e) {
      forget();
      String failure = directory.failure("keep the cluster's record", e).getMessage();
      if (!failure.equals(lastFailure)) {
        LOG.warn("The cluster's record is looked at again each second: {}", failure);
        lastFailure = failure;
      }
    } finally {
      loop.schedule(PERIOD, this::look);
    }
  }

  /** Forgets what this node knows: another leader may record something meanwhile. */
  private void forget() {
    inStep = Optional.empty();
    shownGone = Optional.empty();
    published = 0;
  }

  private void keepInStep(LeaderCalls group) throws Exception {
    ClusterRecordProto known = ask(group);
    showGone(new DeclaredGone(NodeMarks.of(known).gone(), RecordedVolumes.of(known).givenUp()));
    Optional<Versions> versions = versions();
    long epoch = known.getRing().getEpoch();
    if (inStep.isPresent() && inStep.equals(versions.map(now -> new InStep(now, epoch)))) {
      return;
    }
    Optional<RingMap> shown = shownRing();
    RingMap record = record(group, known, shown);
    boolean isLost = shown.isEmpty() || shown.get().epoch() < published;
    if (versions.isEmpty() || isLost) {
      LOG.error(
          "ZooKeeper lost records of the cluster: missing={}, ring epoch={}, recorded epoch={}",
          versions.isEmpty(),
          shown.map(RingMap::epoch),
          record.epoch());
    }
    requireOwnCluster();
    // as it was published: the member's own configuration has a newer version after each election
    Optional<MetadataGroup> members = directory.metadataGroup();
    ClusterCopy copy = new ClusterCopy(directory.properties(), record, members.orElseThrow());
    List<String> given = ClusterRestore.complete(curator, paths, directory.records(), copy);
    if (!given.isEmpty()) {
      LOG.info("ZooKeeper was given: {}", given);
    }
    published = record.epoch();
    inStep =
        given.isEmpty() ? versions.map(now -> new InStep(now, record.epoch())) : Optional.empty();
  }

  private void showGone(DeclaredGone gone) throws Exception {
    boolean isShown =
        (gone.equals(DeclaredGone.NONE) && shownGone.isEmpty())
            ? curator.checkExists().forPath(paths.gone()) == null
            : shownGone.equals(Optional.of(gone));
    if (!isShown) {
      requireOwnCluster();
      byte[] record = directory.records().seal(paths.gone(), ClusterCodec.encode(gone));
      curator.create().orSetData().forPath(paths.gone(), record);
      LOG.info("Published what is gone: nodes={}, volumes={}", gone.nodes(), gone.volumes());
    }
    shownGone = Optional.of(gone);
  }

  /** Empty if one of them is missing. */
  private Optional<Versions> versions() throws Exception {
    Stat ring = curator.checkExists().forPath(paths.ring());
    Stat group = curator.checkExists().forPath(paths.metadata());
    return ring == null || group == null
        ? Optional.empty()
        : Optional.of(new Versions(ring.getMzxid(), group.getMzxid()));
  }

  /** Empty also where no node wrote what stands there: it is replaced. */
  private Optional<RingMap> shownRing() throws Exception {
    if (curator.checkExists().forPath(paths.ring()) == null) {
      return Optional.empty();
    }
    byte[] data = curator.getData().forPath(paths.ring());
    try {
      return Optional.of(RingCodec.decode(directory.records().open(paths.ring(), data)));
    } catch (VdfsException e) {
      LOG.error("Ignoring what ZooKeeper holds: path={}, error={}", paths.ring(), e.getMessage());
      return Optional.empty();
    }
  }

  /** The records of this cluster are given back to this cluster only. */
  private void requireOwnCluster() throws Exception {
    byte[] data =
        directory.records().open(paths.cluster(), curator.getData().forPath(paths.cluster()));
    if (!ClusterCodec.decodeProperties(data).equals(directory.properties())) {
      throw new VdfsException(
          ErrorCode.FENCED,
          "ZooKeeper shows another cluster: path=%s, id=%s"
              .formatted(paths.root(), ClusterCodec.decodeProperties(data).clusterId()));
    }
  }

  /** The ring map that is recorded once this returns: the newest there is. */
  private RingMap record(LeaderCalls group, ClusterRecordProto before, Optional<RingMap> shown)
      throws VdfsException {
    ClusterRecordProto known = before;
    if (known.hasCluster()
        && !ClusterCodec.fromProto(known.getCluster()).equals(directory.properties())) {
      throw new VdfsException(
          ErrorCode.FENCED,
          "the metadata group is of another cluster: recorded=%s, shown=%s"
              .formatted(
                  ClusterCodec.fromProto(known.getCluster()).clusterId(),
                  directory.properties().clusterId()));
    }
    Optional<RingMap> recorded =
        known.hasRing() ? Optional.of(RingCodec.fromProto(known.getRing())) : Optional.empty();
    Optional<RingMap> next =
        Stream.of(shown, directory.ringMap())
            .flatMap(Optional::stream)
            .reduce((one, other) -> other.epoch() > one.epoch() ? other : one)
            .flatMap(
                newest -> recorded.isEmpty() ? Optional.of(newest) : after(recorded.get(), newest));
    if (next.isPresent()) {
      known = write(group, recorded, next.get());
    }
    if (!known.hasRing()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "no ring map is recorded, and ZooKeeper has none; " + ClusterRestore.CURE);
    }
    return RingCodec.fromProto(known.getRing());
  }

  /** The ring map that has to be recorded after {@code before}; empty if none. */
  private static Optional<RingMap> after(RingMap before, RingMap newest) {
    if (newest.epoch() > before.epoch()) {
      return Optional.of(newest);
    }
    if (newest.epoch() == before.epoch() && !newest.equals(before)) {
      LOG.error(
          "ZooKeeper shows another ring map than the recorded one, which goes on in its place:"
              + " epoch={}",
          before.epoch());
      return Optional.of(
          new RingMap(
              before.epoch() + 1,
              before.replication(),
              before.placement(),
              before.arcs(),
              before.nodes()));
    }
    return Optional.empty();
  }

  private static ClusterRecordProto ask(LeaderCalls group) throws VdfsException {
    MetaRequest question =
        MetaRequest.newBuilder().setClusterRecord(ClusterRecordQuery.getDefaultInstance()).build();
    return checked(group.call(question).join()).getClusterRecord();
  }

  private ClusterRecordProto write(LeaderCalls group, Optional<RingMap> before, RingMap next)
      throws VdfsException {
    ClusterRecordProto record =
        ClusterRecordProto.newBuilder()
            .setCluster(ClusterCodec.toProto(directory.properties()))
            .setRing(RingCodec.toProto(next))
            .build();
    checked(
        group
            .call(
                MetaRequest.newBuilder()
                    .setRecordCluster(
                        RecordClusterOp.newBuilder()
                            .setKnownEpoch(before.map(RingMap::epoch).orElse(0L))
                            .setRecord(record))
                    .build())
            .join());
    LOG.info("Recorded the ring map in the metadata: epoch={}", next.epoch());
    return record;
  }

  private static MetaResponse checked(MetaResponse response) throws VdfsException {
    if (response.hasError()) {
      throw WireIds.exception(response.getError());
    }
    return response;
  }

  @Override
  public void close() {
    loop.close();
  }
}
