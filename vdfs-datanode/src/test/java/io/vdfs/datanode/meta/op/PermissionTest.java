package io.vdfs.datanode.meta.op;

import static io.vdfs.datanode.meta.MetadataHarness.ALICE;
import static io.vdfs.datanode.meta.MetadataHarness.BOB;
import static io.vdfs.datanode.meta.MetadataHarness.CAROL;
import static io.vdfs.datanode.meta.MetadataHarness.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ContentSummaryQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.OpenQuery;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.state.settings.ClusterDefaults;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The rights of users. Everything belongs to alice and the group users: bob is in it, carol is not.
 */
class PermissionTest {
  private final MetadataHarness meta = new MetadataHarness();

  private static void give(MetadataHarness meta, String path, String mode) {
    meta.as(ROOT).ok(meta.chown(path, "alice", "users"));
    meta.ok(meta.chmod(path, Integer.parseInt(mode, 8)));
  }

  private static MetaRequest.Builder request(String operation, MetadataHarness meta, long fileId) {
    return switch (operation) {
      case "status" -> meta.getStatus("/p/d/f");
      case "list" -> meta.list("/p/d");
      case "list file" -> meta.list("/p/d/f");
      case "open" -> meta.request().setOpen(OpenQuery.newBuilder().setPath("/p/d/f"));
      case "open by id" -> meta.request().setOpen(OpenQuery.newBuilder().setFileId(fileId));
      case "summary" ->
          meta.request().setContentSummary(ContentSummaryQuery.newBuilder().setPath("/p/d"));
      case "mkdirs" -> meta.mkdirs("/p/d/x", 0755);
      case "mkdirs deep" -> meta.mkdirs("/p/d/x/y/z", 0755);
      case "create" -> meta.create("/p/d/x", 0644, 1, false);
      case "overwrite" -> meta.create("/p/d/f", 0644, 1, true);
      case "append" -> meta.append("/p/d/f", 1);
      case "delete" -> meta.delete("/p/d/f", false);
      case "delete nothing" -> meta.delete("/p/d/x", false);
      case "rename out" -> meta.rename("/p/d/f", "/open/f", false);
      case "rename in" -> meta.rename("/open/g", "/p/d/g", false);
      case "rename onto" -> meta.rename("/open/g", "/p/d/f", true);
      default -> throw new IllegalArgumentException(operation);
    };
  }

  private static boolean isAllowed(String operation, List<String> modes, CallerProto caller) {
    MetadataHarness meta = new MetadataHarness();
    meta.mkdir("/p/d");
    meta.ok(meta.mkdirs("/open", 0777));
    long fileId = meta.file("/p/d/f", 1);
    meta.file("/open/g", 1);
    give(meta, "/p", modes.get(0));
    give(meta, "/p/d", modes.get(1));
    give(meta, "/p/d/f", modes.get(2));
    MetaRequest request = request(operation, meta.as(caller), fileId).build();
    MetaResponse response =
        request.getOpCase().getNumber() < 50
            ? meta.state().apply(request)
            : meta.state().query(request);
    if (response.hasError()) {
      assertEquals(ErrorCode.PERMISSION_DENIED.name(), response.getError().getCode());
    }
    return !response.hasError();
  }

  @ParameterizedTest
  @CsvSource({
    // operation, mode of /p, of /p/d, of /p/d/f, users that may
    "status,         0711, 0711, 0000, alice bob carol root",
    "status,         0710, 0711, 0000, alice bob root",
    "status,         0711, 0701, 0777, alice carol root",
    "status,         0777, 0666, 0777, root",
    "list,           0711, 0750, 0000, alice bob root",
    "list,           0711, 0744, 0777, alice root",
    "list,           0711, 0711, 0777, alice root",
    "list,           0766, 0777, 0777, alice root",
    "list file,      0711, 0711, 0000, alice bob carol root",
    "open,           0711, 0711, 0640, alice bob root",
    "open,           0711, 0711, 0004, carol root",
    "open,           0711, 0710, 0644, alice bob root",
    "open by id,     0711, 0711, 0640, alice bob root",
    "open by id,     0710, 0711, 0644, alice bob root",
    "open by id,     0711, 0700, 0644, alice root",
    "summary,        0711, 0750, 0000, alice bob root",
    "mkdirs,         0711, 0730, 0000, alice bob root",
    "mkdirs,         0711, 0722, 0000, alice root",
    "mkdirs,         0700, 0777, 0000, alice root",
    "mkdirs deep,    0711, 0733, 0000, alice bob carol root",
    "mkdirs deep,    0711, 0711, 0000, alice root",
    "create,         0711, 0730, 0000, alice bob root",
    "create,         0711, 0070, 0000, bob root",
    "create,         0711, 0555, 0777, root",
    "overwrite,      0711, 0777, 0620, alice bob root",
    "overwrite,      0711, 0755, 0666, alice root",
    "append,         0711, 0711, 0620, alice bob root",
    "append,         0711, 0711, 0444, root",
    "delete,         0711, 0730, 0000, alice bob root",
    "delete,         0711, 0755, 0777, alice root",
    "delete,         0700, 0777, 0777, alice root",
    "delete,         0711, 01777, 0777, alice root",
    "delete nothing, 0711, 0730, 0000, alice bob root",
    "rename out,     0711, 0730, 0000, alice bob root",
    "rename out,     0711, 01777, 0777, alice root",
    "rename in,      0711, 0730, 0000, alice bob root",
    "rename in,      0711, 01777, 0000, alice bob carol root",
    "rename onto,    0711, 0777, 0000, alice bob carol root",
    "rename onto,    0711, 01777, 0777, alice root",
    "rename onto,    0711, 0755, 0777, alice root",
  })
  void shouldAllowExactlyThese(
      String operation, String top, String directory, String file, String allowed) {
    List<String> modes = List.of(top, directory, file);
    StringBuilder actual = new StringBuilder();
    for (CallerProto caller : List.of(ALICE, BOB, CAROL, ROOT)) {
      if (isAllowed(operation, modes, caller)) {
        actual.append(caller.getSuperuser() ? "root" : caller.getUser()).append(' ');
      }
    }
    assertEquals(allowed, actual.toString().strip());
  }

  @Test
  void shouldCheckAllDirectoriesOfADeletedTree() {
    meta.mkdir("/p/d/e/g");
    meta.file("/p/d/e/g/f", 1);
    give(meta, "/p", "0777");
    give(meta, "/p/d", "0777");
    give(meta, "/p/d/e", "0755");
    give(meta, "/p/d/e/g", "0777");
    meta.as(BOB).refuse(ErrorCode.PERMISSION_DENIED, meta.delete("/p/d", true));
    give(meta, "/p/d/e", "0777");
    meta.as(BOB).ok(meta.delete("/p/d", true));
  }

  @Test
  void shouldNotMindEmptyDirectoriesInADeletedTree() {
    meta.mkdir("/p/d/e");
    give(meta, "/p", "0777");
    give(meta, "/p/d", "0777");
    give(meta, "/p/d/e", "0700");
    meta.as(BOB).ok(meta.delete("/p/d", true));
  }

  @Test
  void shouldMindTheStickyBitInADeletedTree() {
    meta.mkdir("/p/d");
    meta.file("/p/d/f", 1);
    give(meta, "/p", "0777");
    give(meta, "/p/d", "01777");
    give(meta, "/p/d/f", "0777");
    meta.as(BOB).refuse(ErrorCode.PERMISSION_DENIED, meta.delete("/p/d", true));
    meta.as(ALICE).ok(meta.delete("/p/d", true));
  }

  @Test
  void shouldRefuseTreesTooLargeToCheck() {
    MetadataLimits all = MetadataLimits.DEFAULT;
    MetadataLimits small =
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
            3,
            all.calls(),
            all.callBytes(),
            all.callMillis(),
            all.deletions(),
            all.deletionMillis());
    MetadataHarness bounded =
        new MetadataHarness(
            new MetadataSettings(
                MetadataHarness.GEOMETRY, ClusterDefaults.ofSuperuser("vdfs"), small));
    bounded.ok(bounded.mkdirs("/p", 0777));
    bounded.as(ALICE).ok(bounded.mkdirs("/p/d/1/2/3/4", 0755));
    bounded.refuse(ErrorCode.QUOTA_EXCEEDED, bounded.delete("/p/d", true));
    bounded.ok(bounded.delete("/p/d/1", true));
    assertTrue(bounded.exists("/p/d"));
  }

  @Test
  void shouldCheckAllDirectoriesOfASummary() {
    meta.mkdir("/p/d/e");
    give(meta, "/p/d/e", "0700");
    MetaRequest.Builder summary =
        meta.as(BOB).request().setContentSummary(ContentSummaryQuery.newBuilder().setPath("/p"));
    meta.refuseQuery(ErrorCode.PERMISSION_DENIED, summary);
  }

  @Test
  void shouldRefuseACallerWithoutAName() {
    meta.as(CallerProto.newBuilder().setSuperuser(true).build());
    meta.refuse(ErrorCode.PERMISSION_DENIED, meta.mkdirs("/a", 0755));
    meta.refuseQuery(ErrorCode.PERMISSION_DENIED, meta.getStatus("/"));
  }
}
