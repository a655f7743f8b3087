package io.vdfs.client.io;

import io.vdfs.client.io.replica.Exclusion;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.read.ViewSource;
import io.vdfs.client.write.SyncedGroup;
import io.vdfs.client.write.WriteCoordinator;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.WriteTicketProto;
import io.vdfs.datanode.transfer.TestPeers;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/** Keeps one file as the metadata service would. Thread-safe. */
public final class FakeMetadata implements WriteCoordinator, ViewSource {
  private final NavigableMap<Integer, List<NodeId>> recorded = new TreeMap<>();
  private final UUID cluster;
  private final ClusterGeometry geometry;
  private int records;
  private long flushed;
  private Optional<ErrorCode> refusal = Optional.empty();
  private FileView view;
  private Map<Integer, List<NodeId>> synced = Map.of();
  private boolean closedUnforced;
  private final Map<Integer, Integer> checksums = new TreeMap<>();
  private int changes;
  private long startLength;

  public FakeMetadata(UUID cluster, FileKey file, int replication) {
    this(cluster, file, replication, TestCluster.GEOMETRY);
  }

  public FakeMetadata(UUID cluster, FileKey file, int replication, ClusterGeometry geometry) {
    this.cluster = cluster;
    this.geometry = geometry;
    view = new FileView(file, 0, true, 1, replication, List.of());
  }

  /** Has the file ask for so many copies from now on. */
  public synchronized void setReplication(int replication) {
    view =
        new FileView(
            view.file(),
            view.length(),
            view.open(),
            view.writeEpoch(),
            replication,
            view.exclusions());
  }

  public synchronized FileView view() {
    return view;
  }

  public synchronized Map<Integer, List<NodeId>> synced() {
    return synced;
  }

  /** Whether the writer said that nodes need not have forced the end of the file. */
  public synchronized boolean isClosedUnforced() {
    return closedUnforced;
  }

  public synchronized int changes() {
    return changes;
  }

  /** A new writer begins at the file's end. */
  public synchronized FileView takeOver() {
    startLength = view.length();
    boolean inGroup = startLength % geometry.groupSize() != 0;
    return takeOver(
        new LeaseBound(view.length(), view.writeEpoch() + 1),
        inGroup ? checksums.getOrDefault(geometry.groupAt(startLength), 0) : 0);
  }

  /** A recovery takes the file from its writer. */
  public synchronized FileView beginRecovery() {
    return takeOver(view.lease(), 0);
  }

  private FileView takeOver(LeaseBound lease, int leaseStartChecksum) {
    view =
        new FileView(
            view.file(),
            view.length(),
            true,
            view.writeEpoch() + 1,
            view.replication(),
            view.exclusions(),
            lease,
            false,
            leaseStartChecksum);
    return view;
  }

  @Override
  public void refreshNodes() {
    // they stay where they are
  }

  @Override
  public synchronized FileView refresh(FileKey file) {
    return view;
  }

  @Override
  public synchronized int changePipeline(
      FileKey file, int writeEpoch, Map<Integer, List<NodeId>> leftOut, long length)
      throws VdfsException {
    check(file, writeEpoch);
    List<Exclusion> exclusions = new ArrayList<>(view.exclusions());
    leftOut.forEach((group, nodes) -> nodes.forEach(node -> exclude(exclusions, node, group)));
    changes++;
    view =
        new FileView(
            file,
            Math.max(view.length(), length),
            true,
            writeEpoch + 1,
            view.replication(),
            exclusions,
            view.lease());
    return view.writeEpoch();
  }

  @Override
  public WriteTicketProto ticket(FileKey file, int writeEpoch) {
    return TestPeers.tickets(cluster).issue(file, writeEpoch, 0);
  }

  /** As the metadata service does: consecutive groups of a node are one range. */
  private static void exclude(List<Exclusion> exclusions, NodeId node, int group) {
    Exclusion joined = new Exclusion(node, group, group + 1);
    for (Exclusion range : List.copyOf(exclusions)) {
      if (range.node().equals(node) && range.endGroup() == joined.firstGroup()) {
        exclusions.remove(range);
        joined = new Exclusion(node, range.firstGroup(), joined.endGroup());
      } else if (range.node().equals(node) && range.firstGroup() == joined.endGroup()) {
        exclusions.remove(range);
        joined = new Exclusion(node, joined.firstGroup(), range.endGroup());
      }
    }
    exclusions.add(joined);
  }

  @Override
  public synchronized void recordProgress(
      FileKey file, int writeEpoch, long flushed, Map<Integer, SyncedGroup> written)
      throws VdfsException {
    if (refusal.isPresent()) {
      throw new VdfsException(refusal.get(), "not recorded");
    }
    check(file, writeEpoch);
    records++;
    record(written, recorded);
    long whole = recorded.isEmpty() ? 0 : (recorded.lastKey() + 1) * geometry.groupSize();
    view =
        new FileView(
            file,
            Math.max(view.length(), whole),
            true,
            writeEpoch,
            view.replication(),
            view.exclusions(),
            view.lease());
  }

  private void record(Map<Integer, SyncedGroup> written, Map<Integer, List<NodeId>> into) {
    written.forEach(
        (group, finished) -> {
          into.put(group, finished.nodes());
          checksums.put(group, finished.checksum());
        });
  }

  /** By group what its last writer told; 0: it did not know. */
  public synchronized Map<Integer, Integer> checksums() {
    return Map.copyOf(checksums);
  }

  @Override
  public synchronized void flushed(FileKey file, long length) {
    flushed = length;
  }

  /** Progress is not recorded from now on, with this error. */
  public synchronized void recordNothing(ErrorCode code) {
    refusal = Optional.of(code);
  }

  /** How often progress was recorded. */
  public synchronized int records() {
    return records;
  }

  /** Groups that are recorded as whole. */
  public synchronized int recordedGroups() {
    return recorded.size();
  }

  /** The writer's last report of what it has flushed. */
  public synchronized long flushed() {
    return flushed;
  }

  @Override
  public synchronized void complete(
      FileKey file,
      int writeEpoch,
      long length,
      long ringEpoch,
      Map<Integer, SyncedGroup> written,
      boolean unforced)
      throws VdfsException {
    check(file, writeEpoch);
    Map<Integer, List<NodeId>> all = new TreeMap<>(recorded);
    record(written, all);
    checkSynced(length, all);
    synced = Map.copyOf(all);
    closedUnforced = unforced;
    view = new FileView(file, length, false, writeEpoch, view.replication(), view.exclusions());
  }

  /** As the metadata service does: exactly the groups written, on enough nodes not excluded. */
  private void checkSynced(long length, Map<Integer, List<NodeId>> syncedNodes)
      throws VdfsException {
    List<Integer> written = new ArrayList<>();
    if (length > startLength) {
      for (int group = geometry.groupAt(startLength);
          group < geometry.groupCount(length);
          group++) {
        written.add(group);
      }
    }
    boolean wrong = !List.copyOf(syncedNodes.keySet()).equals(written);
    for (Map.Entry<Integer, List<NodeId>> entry : syncedNodes.entrySet()) {
      wrong |= entry.getValue().stream().anyMatch(node -> view.excludes(node, entry.getKey()));
      wrong |= entry.getValue().isEmpty();
    }
    if (wrong || length < view.length()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "synced groups are wrong: synced=" + syncedNodes + ", written=" + written + view);
    }
  }

  private void check(FileKey file, int writeEpoch) throws VdfsException {
    if (!file.equals(view.file()) || writeEpoch != view.writeEpoch() || !view.open()) {
      throw new VdfsException(
          ErrorCode.FENCED, "writer is over: epoch=" + writeEpoch + ", view=" + view);
    }
  }
}
