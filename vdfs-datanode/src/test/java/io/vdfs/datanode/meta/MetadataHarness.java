package io.vdfs.datanode.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LeaseProto;
import io.vdfs.common.wire.proto.ListLeasesQuery;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.RecordClusterOp;
import io.vdfs.common.wire.proto.RenameOp;
import io.vdfs.common.wire.proto.RingMapProto;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.state.settings.ClusterDefaults;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** A metadata state with short ways to ask it things. Groups have 4 KiB. */
public final class MetadataHarness {
  public static final ClusterGeometry GEOMETRY = new ClusterGeometry(1024, 4, 512, 12);
  public static final long GROUP = GEOMETRY.groupSize();
  public static final CallerProto ROOT = caller("vdfs", true);
  public static final CallerProto ALICE = caller("alice", false, "staff", "users");
  public static final CallerProto BOB = caller("bob", false, "users");
  public static final CallerProto CAROL = caller("carol", false, "others");

  private final MetadataState state;
  private final ClusterGeometry geometry;
  private CallerProto caller = ROOT;
  private long time = 1_000;
  private RingMapProto decodedFrom;
  private RingMap decoded;

  public MetadataHarness() {
    this(MetadataSettings.of(GEOMETRY, "vdfs"));
  }

  public MetadataHarness(MetadataSettings settings) {
    this.state = new MetadataState(settings, new LedgerAdapter());
    this.geometry = settings.geometry();
  }

  /** A harness around an existing state. */
  public MetadataHarness(MetadataState state) {
    this.state = state;
    this.geometry = GEOMETRY;
  }

  /** Settings by which a file may have {@code exclusions}. */
  public static MetadataSettings settings(int exclusions) {
    MetadataLimits usual = MetadataLimits.DEFAULT;
    return new MetadataSettings(
        GEOMETRY,
        ClusterDefaults.ofSuperuser("vdfs"),
        new MetadataLimits(
            usual.pathLength(),
            usual.componentBytes(),
            usual.pathDepth(),
            usual.fileLength(),
            usual.replication(),
            exclusions,
            usual.xattrs(),
            usual.xattrBytes(),
            usual.pageEntries(),
            usual.pageBytes(),
            usual.walkEntries(),
            usual.calls(),
            usual.callBytes(),
            usual.callMillis(),
            usual.deletions(),
            usual.deletionMillis()));
  }

  public static CallerProto caller(String user, boolean superuser, String... groups) {
    return CallerProto.newBuilder()
        .setUser(user)
        .setSuperuser(superuser)
        .addAllGroups(List.of(groups))
        .build();
  }

  /** An id of 16 bytes, all {@code value}. */
  public static ByteString id(int value) {
    byte[] bytes = new byte[16];
    Arrays.fill(bytes, (byte) value);
    return ByteString.copyFrom(bytes);
  }

  public MetadataState state() {
    return state;
  }

  /** Asks as {@code caller} from now on. */
  public MetadataHarness as(CallerProto caller) {
    this.caller = caller;
    return this;
  }

  /** Sets the time of the requests from now on. */
  public MetadataHarness at(long timeMillis) {
    this.time = timeMillis;
    return this;
  }

  public MetaRequest.Builder request() {
    return MetaRequest.newBuilder().setCaller(caller).setTimeMillis(time);
  }

  public MetaResponse apply(MetaRequest.Builder request) {
    return state.apply(request.build());
  }

  /** Applies a mutation that must succeed. */
  public MetaResponse ok(MetaRequest.Builder request) {
    MetaResponse response = apply(request);
    assertFalse(response.hasError(), () -> response.getError().toString());
    return response;
  }

  /** Asks a query that must succeed. */
  public MetaResponse answer(MetaRequest.Builder request) {
    MetaResponse response = state.query(request.build());
    assertFalse(response.hasError(), () -> response.getError().toString());
    return response;
  }

  /** Applies a mutation that must be refused and change nothing but the clock. */
  public void refuse(ErrorCode code, MetaRequest.Builder request) {
    state.apply(MetaRequest.newBuilder().setTimeMillis(request.getTimeMillis()).build());
    ByteString before = saved();
    MetaResponse response = apply(request);
    assertEquals(code.name(), response.getError().getCode(), response::toString);
    assertFalse(response.getError().getMessage().isEmpty());
    assertEquals(before, saved());
  }

  /** Asks a query that must be refused. */
  public void refuseQuery(ErrorCode code, MetaRequest.Builder request) {
    MetaResponse response = state.query(request.build());
    assertEquals(code.name(), response.getError().getCode(), response::toString);
  }

  public MetaRequest.Builder mkdirs(String path, int mode) {
    return request()
        .setMkdirs(MkdirsOp.newBuilder().setPath(path).setMode(mode).setCreateParents(true));
  }

  public MetaRequest.Builder create(String path, int mode, int holder, boolean overwrite) {
    return request()
        .setCreate(
            CreateOp.newBuilder()
                .setPath(path)
                .setMode(mode)
                .setHolder(id(holder))
                .setRingCopies(3)
                .setOverwrite(overwrite));
  }

  public MetaRequest.Builder append(String path, int holder) {
    return request().setAppend(AppendOp.newBuilder().setPath(path).setHolder(id(holder)));
  }

  public MetaRequest.Builder rename(String source, String target, boolean overwrite) {
    return request()
        .setRename(
            RenameOp.newBuilder().setSource(source).setTarget(target).setOverwrite(overwrite));
  }

  public MetaRequest.Builder delete(String path, boolean recursive) {
    return request().setDelete(DeleteOp.newBuilder().setPath(path).setRecursive(recursive));
  }

  public MetaRequest.Builder chmod(String path, int mode) {
    return request().setSetAttributes(SetAttributesOp.newBuilder().setPath(path).setMode(mode));
  }

  public MetaRequest.Builder chown(String path, String owner, String group) {
    return request()
        .setSetAttributes(
            SetAttributesOp.newBuilder().setPath(path).setOwner(owner).setGroup(group));
  }

  public MetaRequest.Builder getStatus(String path) {
    return request().setGetStatus(GetStatusQuery.newBuilder().setPath(path));
  }

  public MetaRequest.Builder list(String path) {
    return request().setList(ListQuery.newBuilder().setPath(path));
  }

  /** Completes what {@code holder} wrote with all groups from the first on three nodes. */
  public MetaRequest.Builder complete(long fileId, int holder, int epoch, long length) {
    CompleteOp.Builder op =
        CompleteOp.newBuilder()
            .setFile(key(fileId))
            .setHolder(id(holder))
            .setWriteEpoch(epoch)
            .setLength(length)
            .setRequiredCopies(2);
    for (int group = 0; group < GEOMETRY.groupCount(length); group++) {
      op.addSynced(synced(group, 1, 2, 3));
    }
    return request().setComplete(op);
  }

  public static GroupSyncProto.Builder synced(int group, int... nodes) {
    GroupSyncProto.Builder synced = GroupSyncProto.newBuilder().setGroup(group);
    for (int node : nodes) {
      synced.addNodes(id(node));
    }
    return synced;
  }

  public static FileKeyProto key(long fileId) {
    return FileKeyProto.newBuilder().setFileId(fileId).setGeneration(1).build();
  }

  public void mkdir(String path) {
    ok(mkdirs(path, 0755));
  }

  /** Makes a closed file of {@code length} bytes and returns its id. */
  public long file(String path, long length) {
    long fileId = open(path, 9).getFileId();
    ok(complete(fileId, 9, 1, length));
    return fileId;
  }

  /** Makes a file and leaves it open. */
  public OpenFileResult open(String path, int holder) {
    return ok(create(path, 0644, holder, false)).getOpenFile();
  }

  public StatusProto status(String path) {
    return answer(getStatus(path)).getStatus();
  }

  public boolean exists(String path) {
    CallerProto before = caller;
    MetaResponse response = state.query(as(ROOT).getStatus(path).build());
    as(before);
    return response.hasStatus();
  }

  /** The page that a listing answered. */
  public static ListResult page(MetaResponse response) {
    try {
      return ListResult.parseFrom(response.getList());
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("unreadable page", e);
    }
  }

  public List<String> names(String path) {
    return page(answer(list(path))).getEntriesList().stream().map(StatusProto::getName).toList();
  }

  public List<LeaseProto> leases() {
    MetaRequest request =
        request().setCaller(ROOT).setListLeases(ListLeasesQuery.getDefaultInstance()).build();
    return state.query(request).getLeases().getLeasesList();
  }

  /**
   * Records a ring map of a cluster with three copies.
   *
   * @param knownEpoch of the map that is recorded already; 0: none
   */
  public void recordRing(long knownEpoch, RingMap map) {
    ClusterProperties properties =
        new ClusterProperties(
            new UUID(0, 1), geometry, 3, 1, 0, "vdfs", "wheel", 1 << 20, map.placement());
    ok(
        request()
            .setRecordCluster(
                RecordClusterOp.newBuilder()
                    .setKnownEpoch(knownEpoch)
                    .setRecord(
                        ClusterRecordProto.newBuilder()
                            .setCluster(ClusterCodec.toProto(properties))
                            .setRing(RingCodec.toProto(map)))));
  }

  /** The recorded ring map, which is decoded again once it has changed. */
  public RingMap ring() {
    RingMapProto recorded =
        answer(request().setClusterRecord(ClusterRecordQuery.getDefaultInstance()))
            .getClusterRecord()
            .getRing();
    if (!recorded.equals(decodedFrom)) {
      try {
        decoded = RingCodec.fromProto(recorded);
      } catch (VdfsException e) {
        throw new AssertionError("unreadable ring map", e);
      }
      decodedFrom = recorded;
    }
    return decoded;
  }

  /** The nodes that a file leaves out, as "node:first-end", each node by its first byte. */
  public List<String> leftOut(String path) {
    return status(path).getExclusionsList().stream()
        .map(
            range ->
                "%d:%d-%d"
                    .formatted(
                        range.getNode().byteAt(0), range.getFirstGroup(), range.getEndGroup()))
        .toList();
  }

  public ByteString saved() {
    return saved(state);
  }

  public static ByteString saved(MetadataState state) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      state.save(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ByteString.copyFrom(out.toByteArray());
  }

  /** A state loaded from a snapshot of this one. */
  public MetadataHarness reloaded() throws IOException {
    return reloaded(new MetadataHarness());
  }

  /** The state of {@code copy}, loaded from a snapshot of this one. */
  public MetadataHarness reloaded(MetadataHarness copy) throws IOException {
    copy.state.load(new ByteArrayInputStream(saved().toByteArray()));
    return copy.as(caller).at(time);
  }
}
