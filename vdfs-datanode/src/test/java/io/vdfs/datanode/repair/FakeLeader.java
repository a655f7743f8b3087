package io.vdfs.datanode.repair;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.ConfirmHoldingsResult;
import io.vdfs.common.wire.proto.CopiedGroupProto;
import io.vdfs.common.wire.proto.DeletionProgressResult;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileExistsResult;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.GroupKeyProto;
import io.vdfs.common.wire.proto.HeldFileProto;
import io.vdfs.common.wire.proto.LackingProto;
import io.vdfs.common.wire.proto.LeftOutNodeProto;
import io.vdfs.common.wire.proto.LiftExclusionsOp;
import io.vdfs.common.wire.proto.LiftExclusionsResult;
import io.vdfs.common.wire.proto.ListHoldingsQuery;
import io.vdfs.common.wire.proto.ListHoldingsResult;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.ListLackingResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeDeletionsProto;
import io.vdfs.common.wire.proto.NodeStateProto;
import io.vdfs.common.wire.proto.PromoteOp;
import io.vdfs.common.wire.proto.PromoteResult;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.ReportLackingOp;
import io.vdfs.common.wire.proto.ReportLackingResult;
import io.vdfs.common.wire.proto.ReviewFilesQuery;
import io.vdfs.common.wire.proto.ReviewFilesResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** The leader of the metadata, as far as repair asks it: holds the messages' contract in memory. */
public final class FakeLeader {
  /** A file as the metadata have it. */
  public static final class File {
    long length;
    int replication = 3;
    int epoch = 1;
    public boolean open;
    long change;
    final Map<Integer, Set<NodeId>> leftOut = new HashMap<>();

    /** Of the groups from the first one on, as its writer told them. */
    List<Integer> checksums = List.of();

    public Set<NodeId> leftOut(int group) {
      return leftOut.computeIfAbsent(group, number -> new HashSet<>());
    }
  }

  /** A node's confirmation. */
  record Confirmed(long epoch, long sequence) {}

  /** A call that is carried out when the test says so. */
  record HeldCall(MetaRequest request, CompletableFuture<MetaResponse> answer) {}

  private final ClusterGeometry geometry;
  final NavigableMap<Long, File> files = new TreeMap<>();
  final List<MetaRequest> requests = new ArrayList<>();
  final List<Confirmed> confirmed = new ArrayList<>();
  int takenBack;

  /** The series of confirmations that counts. */
  long series = 1L << 32;

  public RingMap ring;
  long sequence = 1;
  int pageFiles = 1_000;
  public boolean away;

  /** Calls that lift exclusions and wait for the test, where they do. */
  final List<HeldCall> heldLifts = new ArrayList<>();

  boolean holdLifts;

  /** Whether files can have no further exclusions. */
  boolean full;

  /** Numbers of files that were deleted. */
  public final Set<Long> gone = new HashSet<>();

  /** Deletions up to here are handed out no more. */
  public long dropped;

  /** How far nodes have deleted. */
  public final List<NodeDeletionsProto> deletions = new ArrayList<>();

  public final List<AckDeletionsOp> lookedThrough = new ArrayList<>();

  /** Nodes that did not confirm what they hold. */
  public final Set<NodeId> unconfirmed = new HashSet<>();

  public int groupsLacking;

  /** Run before the next review of files. */
  public Optional<Runnable> beforeReview = Optional.empty();

  /** Run before the next page that does not begin at the first file. */
  Optional<Runnable> inMidPass = Optional.empty();

  public FakeLeader(ClusterGeometry geometry, RingMap ring) {
    this.geometry = geometry;
    this.ring = ring;
  }

  public File file(long id, long length) {
    File file = new File();
    file.length = length;
    file.change = ++sequence;
    files.put(id, file);
    return file;
  }

  public static FileKey key(long id) {
    return new FileKey(id, 1);
  }

  long count(MetaRequest.OpCase kind) {
    return requests.stream().filter(request -> request.getOpCase() == kind).count();
  }

  public CompletableFuture<MetaResponse> call(MetaRequest request) {
    requests.add(request);
    if (holdLifts && request.hasLiftExclusions()) {
      HeldCall held = new HeldCall(request, new CompletableFuture<>());
      heldLifts.add(held);
      return held.answer();
    }
    try {
      return CompletableFuture.completedFuture(
          away ? Errors.response(ErrorCode.UNAVAILABLE, "planted") : answer(request));
    } catch (VdfsException e) {
      return CompletableFuture.completedFuture(Errors.response(e));
    }
  }

  /** Carries out the calls that wait. */
  void letLiftsGo() throws VdfsException {
    for (HeldCall held : heldLifts) {
      held.answer().complete(answer(held.request()));
    }
    heldLifts.clear();
  }

  /** Has the calls that wait fail without effect. */
  void failLifts() {
    heldLifts.forEach(
        held -> held.answer().complete(Errors.response(ErrorCode.UNAVAILABLE, "planted")));
    heldLifts.clear();
  }

  private MetaResponse answer(MetaRequest request) throws VdfsException {
    MetaResponse.Builder response = MetaResponse.newBuilder();
    switch (request.getOpCase()) {
      case LIST_HOLDINGS -> response.setHoldings(holdings(request.getListHoldings()));
      case LIST_LACKING -> response.setLacking(lacking(request.getListLacking()));
      case REPORT_LACKING -> response.setReportLacking(report(request.getReportLacking()));
      case LIFT_EXCLUSIONS -> response.setLiftExclusions(lift(request.getLiftExclusions()));
      case PROMOTE -> response.setPromote(promote(request.getPromote()));
      case CONFIRM_HOLDINGS -> {
        Confirmed said =
            new Confirmed(
                request.getConfirmHoldings().getRingEpoch(),
                request.getConfirmHoldings().getSequence());
        boolean counts = request.getConfirmHoldings().getSeries() == series;
        if (said.epoch() == 0) {
          takenBack++;
          series++;
        } else if (counts) {
          confirmed.add(said);
        }
        response.setConfirmHoldings(
            ConfirmHoldingsResult.newBuilder().setSeries(series).setCounts(counts));
      }
      case FILE_EXISTS ->
          response.setFileExists(
              FileExistsResult.newBuilder()
                  .setExists(files.containsKey(request.getFileExists().getFile().getFileId())));
      case REVIEW_FILES -> response.setReviewFiles(review(request.getReviewFiles()));
      case REPAIR_REPORT -> response.setRepairReport(report());
      case DELETION_PROGRESS ->
          response.setDeletionProgress(
              DeletionProgressResult.newBuilder().setDropped(dropped).addAllNodes(deletions));
      case ACK_DELETIONS -> {
        lookedThrough.add(request.getAckDeletions());
        response.setEmpty(EmptyResult.getDefaultInstance());
      }
      default -> throw new AssertionError("repair does not ask for this: " + request);
    }
    return response.build();
  }

  private ListHoldingsResult holdings(ListHoldingsQuery query) throws VdfsException {
    if (query.getAfter() > 0 && inMidPass.isPresent()) {
      Runnable change = inMidPass.get();
      inMidPass = Optional.empty();
      change.run();
    }
    NodeId node = WireIds.nodeId(query.getNode());
    ListHoldingsResult.Builder page =
        ListHoldingsResult.newBuilder().setSequence(sequence).setRingEpoch(ring.epoch());
    if (query.getAfter() == 0) {
      page.setRing(RingCodec.toProto(ring));
    }
    page.setReached(query.getAfter());
    int looked = 0;
    for (Map.Entry<Long, File> entry : files.tailMap(query.getAfter(), false).entrySet()) {
      if (looked++ == pageFiles) {
        return page.setMore(true).build();
      }
      page.setReached(entry.getKey());
      File file = entry.getValue();
      boolean listed = false;
      for (int group = 0; group < geometry.groupCount(counted(file)); group++) {
        listed |= ring.replicas(entry.getKey(), group).contains(node);
      }
      if (listed) {
        page.addFiles(held(entry.getKey(), file));
      }
    }
    return page.build();
  }

  private long counted(File file) {
    return file.open ? file.length - file.length % geometry.groupSize() : file.length;
  }

  private HeldFileProto held(long id, File file) {
    HeldFileProto.Builder held =
        HeldFileProto.newBuilder()
            .setFile(WireIds.encode(key(id)))
            .setLength(counted(file))
            .setReplication(file.replication)
            .setWriteEpoch(file.epoch)
            .setOpen(file.open)
            .addAllGroupChecksums(file.checksums);
    file.leftOut.forEach(
        (group, nodes) ->
            nodes.forEach(
                out ->
                    held.addExclusions(
                        ExclusionProto.newBuilder()
                            .setNode(WireIds.encode(out))
                            .setFirstGroup(group)
                            .setEndGroup(group + 1)
                            .setEpoch(file.epoch))));
    return held.build();
  }

  private long groupLength(File file, int group) {
    return Math.min(geometry.groupSize(), counted(file) - group * geometry.groupSize());
  }

  private ListLackingResult lacking(ListLackingQuery query) throws VdfsException {
    NodeId node = WireIds.nodeId(query.getNode());
    ListLackingResult.Builder page = ListLackingResult.newBuilder().setRingEpoch(ring.epoch());
    page.setReached(query.getAfter());
    int looked = 0;
    for (Map.Entry<Long, File> entry : files.tailMap(query.getAfter(), false).entrySet()) {
      if (looked++ == pageFiles) {
        return page.setMore(true).build();
      }
      page.setReached(entry.getKey());
      File file = entry.getValue();
      for (int group = 0; group < geometry.groupCount(counted(file)); group++) {
        ArcReplicas arc = ring.replicas(entry.getKey(), group);
        if (file.leftOut(group).contains(node) && arc.contains(node)) {
          page.addGroups(lacking(node, entry.getKey(), file, group, arc));
        }
      }
    }
    return page.build();
  }

  private LackingProto lacking(NodeId node, long id, File file, int group, ArcReplicas arc) {
    LackingProto.Builder lacking =
        LackingProto.newBuilder()
            .setFile(WireIds.encode(key(id)))
            .setGroup(group)
            .setLength(groupLength(file, group))
            .setWriteEpoch(file.epoch)
            .setNode(WireIds.encode(node))
            .setCopiesLeft(
                GroupReplicas.of(arc.serving(), file.replication, file.leftOut(group))
                    .keepers()
                    .size())
            .setReplication(file.replication);
    file.leftOut(group)
        .forEach(
            out ->
                lacking.addLeftOut(
                    LeftOutNodeProto.newBuilder()
                        .setNode(WireIds.encode(out))
                        .setEpoch(file.epoch)));
    return lacking.build();
  }

  private ReportLackingResult report(ReportLackingOp op) throws VdfsException {
    NodeId node = WireIds.nodeId(op.getNode());
    int recorded = 0;
    int passedOver = 0;
    for (GroupKeyProto group : op.getGroupsList()) {
      File file = files.get(group.getFile().getFileId());
      if (file == null) {
        continue;
      }
      List<NodeId> serving = ring.replicas(group.getFile().getFileId(), group.getGroup()).serving();
      Set<NodeId> leftOut = file.leftOut(group.getGroup());
      boolean otherRemains =
          serving.stream().anyMatch(other -> !other.equals(node) && !leftOut.contains(other));
      boolean isNew = serving.contains(node) && otherRemains && !leftOut.contains(node);
      if (isNew && full) {
        passedOver++;
      } else if (isNew) {
        leftOut.add(node);
        recorded++;
      }
    }
    return ReportLackingResult.newBuilder().setRecorded(recorded).setPassedOver(passedOver).build();
  }

  private ReviewFilesResult review(ReviewFilesQuery query) {
    Optional<Runnable> change = beforeReview;
    beforeReview = Optional.empty();
    change.ifPresent(Runnable::run);
    ReviewFilesResult.Builder result = ReviewFilesResult.newBuilder().setRingEpoch(ring.epoch());
    if (query.getKnownRingEpoch() != ring.epoch()) {
      result.setRing(RingCodec.toProto(ring));
    }
    for (FileKeyProto key : query.getFilesList()) {
      File file = files.get(key.getFileId());
      if (file != null) {
        result.addFiles(held(key.getFileId(), file));
      } else if (gone.contains(key.getFileId())) {
        result.addGone(key);
      }
    }
    return result.build();
  }

  private RepairReportResult report() {
    RepairReportResult.Builder report =
        RepairReportResult.newBuilder()
            .setRingEpoch(ring.epoch())
            .setGroupsLacking(groupsLacking)
            .setJoiningPlaces(ring.arcs().stream().mapToInt(arc -> arc.joining().size()).sum());
    for (NodeId node : ring.members()) {
      report.addNodes(
          NodeStateProto.newBuilder()
              .setId(WireIds.encode(node))
              .setServingPlaces(1)
              .setConfirmed(!unconfirmed.contains(node)));
    }
    return report.build();
  }

  private LiftExclusionsResult lift(LiftExclusionsOp op) throws VdfsException {
    NodeId node = WireIds.nodeId(op.getNode());
    int lifted = 0;
    for (CopiedGroupProto copied : op.getCopiedList()) {
      File file = files.get(copied.getGroup().getFile().getFileId());
      int group = copied.getGroup().getGroup();
      boolean fits =
          file != null
              && groupLength(file, group) == copied.getLength()
              && (copied.getLength() == geometry.groupSize()
                  || file.epoch == copied.getWriteEpoch());
      if (fits && file.leftOut(group).remove(node)) {
        lifted++;
      }
    }
    return LiftExclusionsResult.newBuilder().setLifted(lifted).build();
  }

  private PromoteResult promote(PromoteOp op) throws VdfsException {
    NodeId node = WireIds.nodeId(op.getNode());
    List<Integer> joining =
        op.getArcsList().stream()
            .filter(arc -> ring.arcs().get(arc).joining().contains(node))
            .toList();
    ring = RingPlanner.promote(ring, joining, node, Set.of());
    files.forEach(
        (id, file) -> {
          for (int group = 0; group < geometry.groupCount(counted(file)); group++) {
            if ((file.open || file.change > op.getSequence())
                && joining.contains(ring.arcOf(id, group))) {
              file.leftOut(group).add(node);
            }
          }
        });
    return PromoteResult.newBuilder().setEpoch(ring.epoch()).setPromoted(joining.size()).build();
  }
}
