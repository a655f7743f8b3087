package io.vdfs.datanode.meta.op;

import static io.vdfs.datanode.meta.MetadataHarness.ALICE;
import static io.vdfs.datanode.meta.MetadataHarness.ROOT;
import static io.vdfs.datanode.meta.MetadataHarness.id;
import static io.vdfs.datanode.meta.MetadataHarness.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.ContentSummaryQuery;
import io.vdfs.common.wire.proto.ContentSummaryResult;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.LeftOutProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.ReclaimOp;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.common.wire.proto.SetQuotaOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Files have three replicas. */
class QuotaTest {
  private static final long NONE = -1;

  private final MetadataHarness meta = new MetadataHarness();

  private MetaRequest.Builder quota(String path, long inodes, long space) {
    return meta.request()
        .setSetQuota(
            SetQuotaOp.newBuilder().setPath(path).setInodeLimit(inodes).setSpaceLimit(space));
  }

  private ContentSummaryResult usage(String path, boolean quotaOnly) {
    ContentSummaryQuery query =
        ContentSummaryQuery.newBuilder().setPath(path).setQuotaOnly(quotaOnly).build();
    return meta.answer(meta.request().setContentSummary(query)).getContentSummary();
  }

  /** The usage that the quota counted, which must be what is there. */
  private String counted(String path) {
    ContentSummaryResult quota = usage(path, true);
    ContentSummaryResult walked = usage(path, false);
    assertEquals(walked.getInodes(), quota.getInodes(), path);
    assertEquals(walked.getSpaceConsumed(), quota.getSpaceConsumed(), path);
    return quota.getInodes() + " " + quota.getSpaceConsumed();
  }

  @Test
  void shouldCountWhatIsThereAndWhatComes() {
    meta.mkdir("/q/d");
    meta.file("/q/d/f", 10);
    meta.ok(quota("/q", 100, 1_000));
    assertEquals("3 30", counted("/q"));
    meta.file("/q/g", 20);
    assertEquals("4 90", counted("/q"));
    meta.ok(meta.delete("/q/d", true));
    assertEquals("2 60", counted("/q"));
    meta.ok(meta.rename("/q/g", "/g", false));
    assertEquals("1 0", counted("/q"));
    meta.ok(meta.rename("/g", "/q/g", false));
    assertEquals("2 60", counted("/q"));
    meta.ok(replication("/q/g", 1));
    assertEquals("2 20", counted("/q"));
    meta.ok(meta.create("/q/g", 0644, 1, true));
    assertEquals("2 0", counted("/q"));
  }

  private MetaRequest.Builder replication(String path, int replication) {
    return meta.request()
        .setSetAttributes(
            SetAttributesOp.newBuilder()
                .setPath(path)
                .setReplication(replication)
                .setRingCopies(3));
  }

  @Test
  void shouldRefuseMoreInodesThanTheQuota() {
    meta.mkdir("/q");
    meta.ok(quota("/q", 3, NONE));
    meta.as(ROOT).mkdir("/q/d");
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, meta.mkdirs("/q/d/e/f", 0755));
    meta.open("/q/f", 1);
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, meta.create("/q/g", 0644, 1, false));
    meta.ok(meta.create("/q/f", 0644, 1, true));
    meta.mkdir("/m/n");
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, meta.rename("/m", "/q/m", false));
    meta.ok(meta.rename("/q/f", "/q/d/f", false));
    meta.ok(meta.delete("/q/d/f", false));
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, meta.rename("/m", "/q/m", false));
    meta.ok(meta.delete("/q/d", false));
    meta.ok(meta.rename("/m", "/q/m", false));
    assertEquals("3 0", counted("/q"));
  }

  @Test
  void shouldRefuseMoreSpaceThanTheQuotaAndTellWritersBefore() {
    meta.mkdir("/q");
    meta.ok(quota("/q", NONE, 100));
    assertEquals(100, meta.open("/q/f", 1).getSpaceLeft());
    long file = meta.status("/q/f").getInodeId();
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, meta.complete(file, 1, 1, 34));
    meta.ok(meta.complete(file, 1, 1, 33));
    assertEquals("2 99", counted("/q"));
    assertEquals(1, meta.ok(meta.append("/q/f", 1)).getOpenFile().getSpaceLeft());
    meta.ok(replication("/q/f", 10));
    assertEquals("2 99", counted("/q"));
    assertFalse(meta.open("/g", 2).hasSpaceLeft());
  }

  @Test
  void shouldOnlyCountWhatIsOnDiskAlready() {
    meta.mkdir("/q");
    meta.ok(quota("/q", NONE, 100));
    long file = meta.open("/q/f", 1).getFileId();
    meta.ok(
        meta.request()
            .setChangePipeline(
                ChangePipelineOp.newBuilder()
                    .setFile(key(file))
                    .setHolder(id(1))
                    .setWriteEpoch(1)
                    .addLeftOut(LeftOutProto.newBuilder().addNodes(id(3)))
                    .setLength(50)));
    assertEquals("2 150", counted("/q"));
    meta.ok(
        meta.request()
            .setBeginRecovery(BeginRecoveryOp.newBuilder().setFile(key(file)).setWriteEpoch(2)));
    meta.ok(
        meta.request()
            .setFinishRecovery(
                FinishRecoveryOp.newBuilder().setFile(key(file)).setWriteEpoch(3).setLength(60)));
    assertEquals("2 180", counted("/q"));
  }

  @Test
  void shouldEnforceEachQuotaAbove() {
    meta.mkdir("/a/b/c");
    meta.ok(quota("/a", 5, NONE));
    meta.ok(quota("/a/b", 10, 1_000));
    meta.ok(quota("/a/b/c", 2, NONE));
    meta.file("/a/b/c/f", 5);
    assertEquals("4 15", counted("/a"));
    assertEquals("3 15", counted("/a/b"));
    assertEquals("2 15", counted("/a/b/c"));
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, meta.mkdirs("/a/b/c/d", 0755));
    meta.ok(meta.rename("/a/b/c", "/c", false));
    assertEquals("2 0", counted("/a"));
    assertEquals("1 0", counted("/a/b"));
    assertEquals("2 15", counted("/c"));
    meta.ok(meta.rename("/c", "/a/c", false));
    assertEquals("4 15", counted("/a"));
  }

  @Test
  void shouldChangeAndLiftQuotas() {
    meta.mkdir("/q/d");
    meta.ok(quota("/q", 1, 0));
    assertEquals(1, usage("/q", true).getInodeLimit());
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, meta.mkdirs("/q/e", 0755));
    meta.ok(meta.request().setSetQuota(SetQuotaOp.newBuilder().setPath("/q").setInodeLimit(NONE)));
    assertFalse(usage("/q", true).hasInodeLimit());
    assertTrue(usage("/q", true).hasSpaceLimit());
    meta.mkdir("/q/e");
    assertEquals("3 0", counted("/q"));
    meta.ok(quota("/q", NONE, NONE));
    assertFalse(usage("/q", false).hasSpaceLimit());
    assertEquals(3, usage("/q", true).getInodes());
  }

  @Test
  void shouldRefuseQuotasThatMakeNoSense() {
    meta.mkdir("/q");
    meta.file("/f", 1);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, quota("/q", 0, NONE));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, quota("/q", NONE, -2));
    meta.refuse(ErrorCode.NOT_A_DIRECTORY, quota("/f", 1, NONE));
    meta.refuse(ErrorCode.NOT_FOUND, quota("/none", 1, NONE));
    meta.as(ALICE).refuse(ErrorCode.PERMISSION_DENIED, quota("/q", 1, NONE));
  }

  /** Random trees under nested quotas: what is counted is what is there, also after a snapshot. */
  @Test
  void shouldCountExactlyWhateverHappens() throws Exception {
    for (long seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      MetadataHarness state = new MetadataHarness();
      for (int step = 0; step < 300; step++) {
        MetaRequest.Builder request = randomRequest(state, random);
        state.state().apply(request.build());
        if (step % 50 == 0) {
          requireExact(state, "/", "seed=" + seed + ", step=" + step);
        }
      }
      requireExact(state.reloaded(), "/", "seed=" + seed);
      assertEquals(state.saved(), state.reloaded().saved());
    }
  }

  private static MetaRequest.Builder randomRequest(MetadataHarness state, Random random) {
    String path = path(random);
    return switch (random.nextInt(9)) {
      case 0, 1 -> state.mkdirs(path, 0755);
      case 2, 3 -> {
        long id = state.apply(state.create(path, 0644, 9, true)).getOpenFile().getFileId();
        yield state.complete(id, 9, 1, random.nextInt(50));
      }
      case 4, 5 -> state.rename(path, path(random), random.nextBoolean());
      case 6 -> state.delete(path, true);
      case 7 ->
          state
              .request()
              .setSetQuota(
                  SetQuotaOp.newBuilder()
                      .setPath(path)
                      .setInodeLimit(random.nextInt(4) == 0 ? NONE : 1 + random.nextInt(20))
                      .setSpaceLimit(random.nextInt(2) == 0 ? NONE : random.nextInt(2_000)));
      default -> state.request().setReclaim(ReclaimOp.newBuilder().setLimit(random.nextInt(5) + 1));
    };
  }

  private static String path(Random random) {
    StringBuilder path = new StringBuilder();
    for (int depth = 1 + random.nextInt(4); depth > 0; depth--) {
      path.append('/').append((char) ('a' + random.nextInt(3)));
    }
    return path.toString();
  }

  private static void requireExact(MetadataHarness state, String path, String trace) {
    List<ContentSummaryResult> both = new ArrayList<>();
    for (boolean quotaOnly : List.of(true, false)) {
      both.add(
          state
              .answer(
                  state
                      .request()
                      .setContentSummary(
                          ContentSummaryQuery.newBuilder().setPath(path).setQuotaOnly(quotaOnly)))
              .getContentSummary());
    }
    assertEquals(both.get(1).getInodes(), both.get(0).getInodes(), trace + ", path=" + path);
    assertEquals(
        both.get(1).getSpaceConsumed(), both.get(0).getSpaceConsumed(), trace + ", path=" + path);
    for (String name : state.names(path)) {
      if (!name.isEmpty()) {
        requireExact(state, path.equals("/") ? "/" + name : path + "/" + name, trace);
      }
    }
  }
}
