package io.vdfs.datanode.meta;

import static io.vdfs.datanode.meta.MetadataHarness.id;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.ExpireStreamsOp;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.SetXAttrOp;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;
import io.vdfs.common.wire.proto.StreamStatusQuery;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Calls, clock and snapshots. */
class MetadataStateTest {
  private final MetadataHarness meta = new MetadataHarness();

  private static CallIdProto call(int client, long call) {
    return CallIdProto.newBuilder().setClientId(id(client)).setCall(call).build();
  }

  private static void load(byte[] snapshot, MetadataState state) throws IOException {
    state.load(new ByteArrayInputStream(snapshot));
  }

  private static void assertCorrupt(byte[] snapshot) {
    VdfsException refusal =
        assertThrows(VdfsException.class, () -> load(snapshot, new MetadataHarness().state()));
    assertEquals(ErrorCode.CORRUPT, refusal.code());
  }

  private void fill() {
    meta.mkdir("/a/b");
    meta.file("/a/f", 10_000);
    meta.open("/a/g", 3);
    meta.file("/gone", 1);
    meta.ok(meta.delete("/gone", false));
    meta.mkdir("/detached/x");
    meta.ok(meta.delete("/detached", true));
    meta.ok(meta.mkdirs("/called", 0755).setCallId(call(1, 1)));
    meta.apply(meta.delete("/a", false).setCallId(call(1, 2)));
    meta.ok(
        meta.request()
            .setSetXattr(SetXAttrOp.newBuilder().setPath("/a").setName("user.x").setValue(id(1))));
    meta.ok(
        meta.request()
            .setLedger(
                LedgerRequest.newBuilder()
                    .setCreateChunk(
                        CreateStreamChunkOp.newBuilder()
                            .setStreamId(id(9))
                            .setHeader(
                                StreamHeader.newBuilder()
                                    .setTasks(1)
                                    .setBlockSize(1024)
                                    .setGroupBlocks(4)
                                    .addNodes(StreamNode.newBuilder().setNode(id(1)))))));
  }

  @Test
  void shouldAnswerARetryAsTheFirstTryAndChangeNothing() throws IOException {
    MetaRequest.Builder create = meta.create("/f", 0644, 1, true).setCallId(call(1, 1));
    MetaResponse first = meta.ok(create);
    ByteString before = meta.saved();
    assertEquals(first, meta.apply(create));
    assertEquals(before, meta.saved());
    assertEquals(first, meta.reloaded().apply(create));
    assertNotEquals(first, meta.ok(create.setCallId(call(1, 2))));
  }

  @Test
  void shouldAnswerTheRetryOfARefusalWithTheRefusal() {
    MetaRequest.Builder delete = meta.delete("/d", false).setCallId(call(1, 1));
    meta.mkdir("/d/e");
    assertEquals("DIRECTORY_NOT_EMPTY", meta.apply(delete).getError().getCode());
    meta.ok(meta.delete("/d/e", false));
    assertEquals("DIRECTORY_NOT_EMPTY", meta.apply(delete).getError().getCode());
    assertTrue(meta.exists("/d"));
  }

  @Test
  void shouldForgetCallsAfterTenMinutesOfTheLog() {
    MetaRequest.Builder mkdirs = meta.mkdirs("/d", 0755).setCallId(call(1, 1));
    assertTrue(meta.ok(mkdirs).getMkdirs().getCreated());
    for (int minute = 1; minute <= 10; minute++) {
      meta.at(1_000 + minute * 60_000L).mkdir("/x" + minute);
    }
    assertTrue(meta.ok(mkdirs).getMkdirs().getCreated());
    meta.at(601_001).mkdir("/y");
    assertFalse(meta.ok(mkdirs).getMkdirs().getCreated());
  }

  private static MetadataHarness withRoomForTenCalls() {
    MetadataLimits all = MetadataLimits.DEFAULT;
    MetadataLimits limits =
        new MetadataLimits(
            all.pathLength(),
            all.componentBytes(),
            all.pathDepth(),
            all.fileLength(),
            all.replication(),
            all.exclusions(),
            all.xattrs(),
            all.xattrBytes(),
            all.pageEntries(),
            all.pageBytes(),
            all.walkEntries(),
            10,
            all.callBytes(),
            all.callMillis(),
            all.deletions(),
            all.deletionMillis());
    MetadataSettings settings = MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs");
    return new MetadataHarness(
        new MetadataSettings(settings.geometry(), settings.defaults(), limits));
  }

  /** As a leader does: looks a try up unless it is the first, and has it happen if it did not. */
  private static MetaResponse sent(
      MetadataHarness meta, MetaRequest.Builder request, long ageMillis) {
    Optional<MetaResponse> told =
        ageMillis == 0 ? Optional.empty() : meta.state().recall(request.build(), ageMillis);
    return told.orElseGet(() -> meta.apply(request));
  }

  /** Its caller hung for half a minute, and others went on. */
  @Test
  void shouldNotDeleteAgainWhatWasMadeSinceTheFirstTryWasForgotten() throws IOException {
    MetadataHarness full = withRoomForTenCalls().at(100_000);
    full.file("/lock", 1);
    CallIdProto id = call(1, 1);
    assertTrue(sent(full, full.delete("/lock", false).setCallId(id), 0).hasDelete());
    for (int other = 1; other <= 11; other++) {
      full.at(100_000 + other * 1_000L);
      sent(full, full.mkdirs("/x" + other, 0755).setCallId(call(2, other)), 0);
    }
    full.at(120_000);
    sent(full, full.create("/lock", 0644, 3, false).setCallId(call(3, 1)), 0);
    full.at(130_000);
    for (MetadataHarness each : List.of(full, full.reloaded(withRoomForTenCalls()))) {
      ByteString before = each.saved();
      MetaResponse refused = sent(each, each.delete("/lock", false).setCallId(id), 30_000);
      assertEquals("OUTCOME_UNKNOWN", refused.getError().getCode());
      String message = refused.getError().getMessage();
      assertTrue(message.contains("op=DELETE, client=0101"), message);
      assertTrue(message.contains("call=1, firstTryMillisAgo=30000"), message);
      assertEquals(before, each.saved());
      assertTrue(each.exists("/lock"));
    }
  }

  @Test
  void shouldAnswerOrCarryOutARetryThatCannotBeForgotten() throws IOException {
    MetadataHarness full = withRoomForTenCalls().at(100_000);
    for (int other = 1; other <= 20; other++) {
      full.at(100_000 + other * 1_000L);
      sent(full, full.mkdirs("/x" + other, 0755).setCallId(call(2, other)), 0);
    }
    full.at(130_000);
    MetaRequest.Builder kept = full.mkdirs("/x11", 0755).setCallId(call(2, 11));
    MetaRequest.Builder lost = full.mkdirs("/y", 0755).setCallId(call(1, 1));
    for (MetadataHarness each : List.of(full, full.reloaded(withRoomForTenCalls()))) {
      assertTrue(sent(each, kept, 19_000).getMkdirs().getCreated(), "the first answer");
      assertTrue(sent(each, kept, 9_000_000).getMkdirs().getCreated(), "however old");
      assertTrue(each.state().recall(lost.build(), 10).isEmpty(), "it never came here");
      assertTrue(sent(each, lost, 10).getMkdirs().getCreated());
      assertTrue(sent(each, lost, 20).getMkdirs().getCreated(), "the first answer");
    }
  }

  @Test
  void shouldLeaveAMalformedCallIdToTheMutation() {
    CallIdProto bad = CallIdProto.newBuilder().setClientId(id(1).substring(1)).build();
    MetaRequest.Builder mkdirs = meta.mkdirs("/d", 0755).setCallId(bad);
    assertTrue(meta.state().recall(mkdirs.build(), Long.MAX_VALUE).isEmpty());
    meta.refuse(ErrorCode.INVALID_ARGUMENT, mkdirs);
  }

  /** A leader's clock is days ahead, the next one's is not, and so on. */
  @Test
  void shouldNeitherForgetCallsNorExpireStreamsBecauseClocksJump() {
    fill();
    MetaRequest.Builder mkdirs = meta.mkdirs("/d", 0755).setCallId(call(2, 1));
    assertTrue(meta.ok(mkdirs).getMkdirs().getCreated());
    long day = 86_400_000;
    for (long ahead : List.of(0L, 8 * day, 0L, 11 * 60_000L)) {
      meta.at(2_000 + ahead).mkdir("/x" + ahead);
      assertTrue(meta.ok(mkdirs).getMkdirs().getCreated(), "a call was forgotten");
      assertEquals(0, expireStreams(meta.at(2_000 + ahead)), "a stream expired");
    }
    // an hour of regular entries is an hour, whatever the clock says
    for (int minute = 1; minute <= 61; minute++) {
      meta.at(5 * day + minute * 60_000L).mkdir("/late" + minute);
    }
    assertEquals(1, expireStreams(meta));
    assertFalse(meta.ok(mkdirs).getMkdirs().getCreated());
  }

  private static int expireStreams(MetadataHarness meta) {
    return meta.ok(
            meta.request()
                .setCaller(MetadataHarness.ROOT)
                .setLedger(
                    LedgerRequest.newBuilder().setExpire(ExpireStreamsOp.getDefaultInstance())))
        .getLedger()
        .getExpire()
        .getStreamIdsCount();
  }

  @Test
  void shouldHoldOnlyThoseStreamsToBoundsThatTheLeaderMarked() throws IOException {
    CreateStreamChunkOp chunk =
        CreateStreamChunkOp.newBuilder()
            .setStreamId(id(9))
            .setHeader(StreamHeader.newBuilder().setTasks(1).setBlockSize(1).setGroupBlocks(4))
            .build();
    LedgerRequest old = LedgerRequest.newBuilder().setCreateChunk(chunk).build();
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, meta.request().setLedger(old.toBuilder().setBounded(true)));
    meta.ok(meta.request().setLedger(old));
    assertEquals(meta.saved(), meta.reloaded().saved());
  }

  @Test
  void shouldRefuseAMalformedCallId() {
    CallIdProto bad = CallIdProto.newBuilder().setClientId(id(1).substring(1)).build();
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.mkdirs("/d", 0755).setCallId(bad));
  }

  @Test
  void shouldNeverLetTheClockRunBack() {
    meta.at(5_000).mkdir("/a");
    meta.at(4_000).mkdir("/b");
    assertEquals(5_000, meta.status("/b").getModificationMillis());
    meta.at(-1).mkdir("/c");
    assertEquals(5_000, meta.status("/c").getModificationMillis());
  }

  @Test
  void shouldPassLedgerRequestsOnAtTheTimeOfTheLog() throws IOException {
    LedgerFake ledgers = new LedgerFake();
    MetadataState state =
        new MetadataState(MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"), ledgers);
    MetaRequest.Builder request =
        meta.request().setLedger(LedgerRequest.getDefaultInstance()).setCallId(call(1, 1));
    assertTrue(state.apply(request.setTimeMillis(50).build()).hasLedger());
    state.apply(request.setTimeMillis(60).build());
    state.apply(request.setTimeMillis(40).setCallId(call(1, 2)).build());
    assertEquals(List.of(50L, 60L), ledgers.times());
    assertTrue(
        state
            .query(meta.request().setLedgerQuery(LedgerQuery.getDefaultInstance()).build())
            .hasLedger());
    LedgerFake copies = new LedgerFake();
    MetadataState copy =
        new MetadataState(MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"), copies);
    copy.apply(request.setTimeMillis(999).build());
    load(MetadataHarness.saved(state).toByteArray(), copy);
    assertEquals(ledgers.times(), copies.times());
  }

  @Test
  void shouldComeBackFromASnapshotAsItWas() throws IOException {
    fill();
    MetadataHarness copy = meta.reloaded();
    assertEquals(meta.saved(), copy.saved());
    LedgerQuery status =
        LedgerQuery.newBuilder()
            .setStatus(StreamStatusQuery.newBuilder().setStreamId(id(9)))
            .build();
    MetaRequest.Builder streamStatus = meta.request().setLedgerQuery(status);
    assertEquals(meta.answer(streamStatus), copy.answer(streamStatus));
    for (MetadataHarness each : List.of(meta, copy)) {
      each.at(9_000).file("/a/new", 77);
      each.ok(each.rename("/a", "/z", false));
    }
    assertEquals(meta.saved(), copy.saved());
    assertEquals(meta.leases(), copy.leases());
  }

  @Test
  void shouldReplaceWhatWasThereBeforeLoading() throws IOException {
    fill();
    MetadataHarness other = new MetadataHarness();
    other.mkdir("/other");
    load(meta.saved().toByteArray(), other.state());
    assertFalse(other.exists("/other"));
    assertEquals(meta.saved(), other.saved());
  }

  @Test
  void shouldRefuseASnapshotWithAnyByteChanged() {
    fill();
    byte[] snapshot = meta.saved().toByteArray();
    for (int i = 0; i < snapshot.length; i++) {
      for (int mask : new int[] {0x01, 0x80, 0xff}) {
        snapshot[i] ^= (byte) mask;
        assertCorrupt(snapshot);
        snapshot[i] ^= (byte) mask;
      }
    }
  }

  @Test
  void shouldRefuseASnapshotCutShortOrProlonged() {
    fill();
    ByteString snapshot = meta.saved();
    for (int length = 0; length < snapshot.size(); length++) {
      assertCorrupt(snapshot.substring(0, length).toByteArray());
    }
    assertCorrupt(snapshot.concat(ByteString.copyFrom(new byte[1])).toByteArray());
  }

  @Test
  void shouldRefuseTheSnapshotOfAnotherGeometry() {
    MetadataState other =
        new MetadataState(MetadataSettings.of(ClusterGeometry.DEFAULT, "vdfs"), new LedgerFake());
    VdfsException refusal =
        assertThrows(VdfsException.class, () -> load(meta.saved().toByteArray(), other));
    assertEquals(ErrorCode.MISCONFIGURED, refusal.code());
  }
}
