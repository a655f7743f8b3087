package io.vdfs.client;

import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.NodeDecision;
import io.vdfs.client.files.ContentAccess;
import io.vdfs.client.files.ContentRewrite;
import io.vdfs.client.files.Files;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.client.meta.LeaseRenewer;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.meta.cluster.ClusterSpace;
import io.vdfs.client.meta.control.NodeCalls;
import io.vdfs.client.names.Names;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AcceptLossOp;
import io.vdfs.common.wire.proto.GiveUpVolumesOp;
import io.vdfs.common.wire.proto.MarkNodesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeMarkProto;
import io.vdfs.common.wire.proto.NodeWeightProto;
import io.vdfs.common.wire.proto.RepairReportCall;
import io.vdfs.common.wire.proto.WeighNodesOp;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * One cluster as one user sees it: {@link #names() names}, {@link #files() files}, ledgers, and the
 * nodes themselves for tools.
 *
 * <p>Thread-safe.
 */
public final class VdfsClient implements AutoCloseable {
  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final ContentAccess content;
  private final LeaseRenewer leases;
  private final LedgerClient ledger;
  private final NodeCalls nodes;
  private final Runnable onClose;
  private final Names names;
  private final Files files;
  private final ContentRewrite rewrite;

  /**
   * Takes over {@code content} and {@code leases}, which it closes.
   *
   * @param onClose runs last when the client is closed
   */
  public VdfsClient(
      MetadataCalls metadata,
      ClusterAccess cluster,
      ContentAccess content,
      LeaseRenewer leases,
      LedgerClient ledger,
      NodeCalls nodes,
      Runnable onClose) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.content = content;
    this.leases = leases;
    this.ledger = ledger;
    this.nodes = nodes;
    this.onClose = onClose;
    this.names = new Names(metadata);
    this.files = new Files(metadata, cluster, content, leases);
    this.rewrite = new ContentRewrite(names, files, metadata);
  }

  /** Everything that is looked up or changed by path. */
  public Names names() {
    return names;
  }

  /** The bytes of files. */
  public Files files() {
    return files;
  }

  /** The cluster as last heard of: properties, ring map, live nodes. */
  public ClusterDescription cluster() throws IOException {
    return cluster.current();
  }

  /**
   * The cluster as last heard of, however long ago; asks no node.
   *
   * @return empty before anything was asked
   */
  public Optional<ClusterDescription> knownCluster() {
    return cluster.known();
  }

  /** Calls to one particular node, for tools. */
  public NodeCalls nodes() {
    return nodes;
  }

  /** What a node has counted since it was started. */
  public List<Metric> counters(RingNode node) throws IOException {
    return nodes.counters(node);
  }

  /**
   * The state of all files' copies, as the metadata group's leader sees it.
   *
   * @throws VdfsException UNSUPPORTED if the leader's release does not tell
   */
  public CopiesReport copies() throws IOException {
    MetaRequest question =
        MetaRequest.newBuilder().setRepairReport(RepairReportCall.getDefaultInstance()).build();
    MetaResponse answer = metadata.call(question);
    if (!answer.hasRepairReport()) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "the leader's release does not tell how the copies are");
    }
    return CopiesReport.of(answer.getRepairReport());
  }

  /**
   * Records a decision about nodes, for all of them or for none; for superusers. The ring map
   * follows by itself, see {@link #copies}.
   *
   * @param acceptLoss whether nodes that alone have the last copy of a group may be declared gone
   * @throws VdfsException NOT_FOUND for a node that is not in the ring map; INVALID_ARGUMENT where
   *     too few nodes would stay, where others are missing, where a node that is to leave is not
   *     alive, where one that is declared gone is alive, or where last copies would be given up
   */
  public void decide(Collection<NodeId> nodes, NodeDecision decision, boolean acceptLoss)
      throws IOException {
    MarkNodesOp.Builder op =
        MarkNodesOp.newBuilder().setMark(mark(decision)).setAcceptLoss(acceptLoss);
    nodes.forEach(node -> op.addNodes(WireIds.encode(node)));
    var unused = metadata.call(MetaRequest.newBuilder().setMarkNodes(op).build());
  }

  /**
   * Gives nodes other shares of the ring, all of them or none; for superusers. The ring map follows
   * by itself, see {@link #copies}.
   *
   * @param weights by node, see {@link io.vdfs.common.ring.NodeWeight}
   * @throws VdfsException NOT_FOUND for a node that is not in the ring map; INVALID_ARGUMENT for a
   *     weight outside its range, while nodes or copies are missing, and while blocks are being
   *     copied to joining nodes
   */
  public void weigh(Map<NodeId, Double> weights) throws IOException {
    WeighNodesOp.Builder op = WeighNodesOp.newBuilder();
    weights.forEach(
        (node, weight) ->
            op.addWeights(
                NodeWeightProto.newBuilder().setNode(WireIds.encode(node)).setWeight(weight)));
    var unused = metadata.call(MetaRequest.newBuilder().setWeighNodes(op).build());
  }

  /**
   * Declares volumes of a node lost, all of them or none, so that the node's next start may take
   * empty disks in their places; for superusers.
   *
   * @throws VdfsException NOT_FOUND for a node that has not reported its volumes, or a volume that
   *     it has not reported; INVALID_ARGUMENT for a volume that a node serves that is alive
   */
  public void giveUpVolumes(NodeId node, Collection<UUID> volumes) throws IOException {
    GiveUpVolumesOp.Builder op = GiveUpVolumesOp.newBuilder().setNode(WireIds.encode(node));
    volumes.forEach(volume -> op.addVolumes(WireIds.encode(volume)));
    var unused = metadata.call(MetaRequest.newBuilder().setGiveUpVolumes(op).build());
  }

  /**
   * Gives up what the metadata lost when they were recovered: from then on nodes discard files that
   * the metadata do not know. Does nothing where nothing was lost; for superusers.
   */
  public void acceptLoss() throws IOException {
    var unused =
        metadata.call(
            MetaRequest.newBuilder().setAcceptLoss(AcceptLossOp.getDefaultInstance()).build());
  }

  private static NodeMarkProto mark(NodeDecision decision) {
    return switch (decision) {
      case STAYS -> NodeMarkProto.MARK_STAYING;
      case LEAVES -> NodeMarkProto.MARK_LEAVING;
      case GONE -> NodeMarkProto.MARK_GONE;
    };
  }

  /**
   * Counters of reading and writing of files and of calls to the metadata service so far, by name.
   */
  public Map<String, Long> ioCounters() {
    Map<String, Long> counters = new LinkedHashMap<>(content.counters());
    counters.putAll(metadata.counters());
    return counters;
  }

  /** The ledgers of logical splits. */
  public LedgerClient ledger() {
    return ledger;
  }

  /**
   * Truncates a closed file to {@code length} by copying what stays; all other clients see one
   * atomic step. Needs the right to write to its directory too.
   *
   * @throws VdfsException LEASE_CONFLICT if it is being written; FILE_CHANGED if it changed
   *     meanwhile
   */
  public void truncate(String path, long length) throws IOException {
    rewrite.truncate(path, length);
  }

  /**
   * Appends the bytes of closed files to a closed one and removes them, by copying; all other
   * clients see one atomic step. Throws as {@link #truncate}.
   */
  public void concat(String target, List<String> sources) throws IOException {
    rewrite.concat(target, sources);
  }

  /** Minutes after which the cluster deletes what is in the trash; 0: never. */
  public long trashMinutes() throws IOException {
    return cluster.current().trashMinutes();
  }

  /** Room on the volumes of all nodes that answer. */
  public ClusterSpace space() throws IOException {
    return cluster.space();
  }

  /** Ends all transfers; files still open for writing are left to the end of their leases. */
  @Override
  public void close() {
    leases.close();
    content.close();
    onClose.run();
  }
}
