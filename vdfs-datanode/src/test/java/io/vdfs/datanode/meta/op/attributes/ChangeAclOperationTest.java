package io.vdfs.datanode.meta.op.attributes;

import static io.vdfs.datanode.meta.MetadataHarness.ALICE;
import static io.vdfs.datanode.meta.MetadataHarness.BOB;
import static io.vdfs.datanode.meta.MetadataHarness.CAROL;
import static io.vdfs.datanode.meta.MetadataHarness.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.AclChangeProto;
import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.AclTypeProto;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ChangeAclOp;
import io.vdfs.common.wire.proto.CheckAccessQuery;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** ACLs written as {@code user:alice:rw-,default:mask::r--}; alice owns the inodes in question. */
class ChangeAclOperationTest {
  private final MetadataHarness meta = new MetadataHarness();

  private void give(String path, int mode) {
    meta.as(ROOT).ok(meta.chown(path, "alice", "users"));
    meta.ok(meta.chmod(path, mode));
  }

  private void directory(int mode) {
    meta.as(ROOT).mkdir("/d");
    give("/d", mode);
  }

  private MetaRequest.Builder change(AclChangeProto change, String path, String spec) {
    ChangeAclOp.Builder op = ChangeAclOp.newBuilder().setPath(path).setChange(change);
    for (String entry : spec.isEmpty() ? new String[0] : spec.split(",")) {
      op.addEntries(parse(entry));
    }
    return meta.request().setChangeAcl(op);
  }

  private static AclEntryProto parse(String text) {
    boolean isDefault = text.startsWith("default:");
    String[] parts = (isDefault ? text.substring(8) : text).split(":", -1);
    int permission = 0;
    for (char c : parts.length < 3 ? new char[0] : parts[2].toCharArray()) {
      permission |= c == 'r' ? 4 : c == 'w' ? 2 : c == 'x' ? 1 : 0;
    }
    return AclEntryProto.newBuilder()
        .setIsDefault(isDefault)
        .setType(AclTypeProto.valueOf("ACL_" + parts[0].toUpperCase(Locale.ROOT)))
        .setName(parts[1])
        .setPermission(permission)
        .build();
  }

  /** The mode in octal and the entries beyond it. */
  private String acl(String path) {
    StatusProto status =
        meta.answer(
                meta.request()
                    .setGetStatus(GetStatusQuery.newBuilder().setPath(path).setWithAcl(true)))
            .getStatus();
    assertEquals(status.getAclCount() > 0, status.getHasAcl());
    String entries =
        status.getAclList().stream()
            .map(ChangeAclOperationTest::shown)
            .collect(Collectors.joining(","));
    return Integer.toOctalString(status.getMode()) + " " + entries;
  }

  private static String shown(AclEntryProto entry) {
    int bits = entry.getPermission();
    return (entry.getIsDefault() ? "default:" : "")
        + entry.getType().name().substring(4).toLowerCase(Locale.ROOT)
        + ":"
        + entry.getName()
        + ":"
        + ((bits & 4) == 0 ? "-" : "r")
        + ((bits & 2) == 0 ? "-" : "w")
        + ((bits & 1) == 0 ? "-" : "x");
  }

  @Test
  void shouldKeepAMinimalAclInTheMode() {
    directory(01750);
    meta.ok(change(AclChangeProto.ACL_SET, "/d", "user::rw-,group::--x,other::r--"));
    assertEquals("1614 ", acl("/d"));
  }

  @Test
  void shouldComputeTheMaskUnlessItIsGiven() {
    directory(0750);
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "user:bob:-w-"));
    assertEquals("770 user:bob:-w-,group::r-x", acl("/d"));
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "mask::r--"));
    assertEquals("740 user:bob:-w-,group::r-x", acl("/d"));
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "default:user:bob:rwx"));
    assertEquals(
        "740 user:bob:-w-,group::r-x,"
            + "default:user::rwx,default:user:bob:rwx,default:group::r-x,default:mask::rwx,"
            + "default:other::---",
        acl("/d"));
    meta.ok(change(AclChangeProto.ACL_REMOVE_ENTRIES, "/d", "user:bob:"));
    assertEquals(
        "750 group::r-x,"
            + "default:user::rwx,default:user:bob:rwx,default:group::r-x,default:mask::rwx,"
            + "default:other::---",
        acl("/d"));
  }

  @Test
  void shouldReplaceOnlyTheScopesNamed() {
    directory(0750);
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "user:bob:r--,default:group:g:rwx"));
    meta.ok(change(AclChangeProto.ACL_SET, "/d", "default:group:h:r--"));
    assertEquals(
        "750 user:bob:r--,group::r-x,"
            + "default:user::rwx,default:group::r-x,default:group:h:r--,default:mask::r-x,"
            + "default:other::---",
        acl("/d"));
    meta.ok(change(AclChangeProto.ACL_SET, "/d", "user::rwx,group::r--,other::---,group:g:rwx"));
    assertEquals(
        "770 group::r--,group:g:rwx,"
            + "default:user::rwx,default:group::r-x,default:group:h:r--,default:mask::r-x,"
            + "default:other::---",
        acl("/d"));
  }

  @Test
  void shouldGiveTheGroupItsPermissionBackWithoutAcl() {
    directory(0740);
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "user:bob:rwx,default:user:bob:rwx"));
    meta.ok(change(AclChangeProto.ACL_REMOVE_DEFAULT, "/d", ""));
    assertEquals("770 user:bob:rwx,group::r--", acl("/d"));
    meta.ok(change(AclChangeProto.ACL_REMOVE_ALL, "/d", ""));
    assertEquals("740 ", acl("/d"));
  }

  @Test
  void shouldChangeTheMaskWithTheMode() {
    directory(0750);
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "user:carol:rwx"));
    meta.ok(meta.chmod("/d", 0700));
    assertEquals("700 user:carol:rwx,group::r-x", acl("/d"));
    meta.as(CAROL).refuseQuery(ErrorCode.PERMISSION_DENIED, access("/d", 1));
  }

  private MetaRequest.Builder access(String path, int permission) {
    return meta.request()
        .setCheckAccess(CheckAccessQuery.newBuilder().setPath(path).setPermission(permission));
  }

  @ParameterizedTest
  @CsvSource({
    // ACL, user, permission at most
    "'user:bob:r--',                       bob,   4",
    "'user:carol:rwx',                     carol, 7",
    "'user:carol:---',                     carol, 0",
    "'user:carol:rwx,mask::r-x',           carol, 5",
    "'group:others:rw-',                   carol, 6",
    "'group:others:rw-,mask::r--',         carol, 4",
    "'group:nobody:rwx',                   carol, 1",
    "'group:nobody:rwx',                   bob,   5",
    "'group:users:r--,group:staff:rwx',    bob,   5",
    "'user:alice:---,group:users:---',     alice, 7",
    "'user::r--,user:alice:rwx',           alice, 4",
    "'default:user:carol:rwx',             carol, 1",
    "'group::---,group:g:rwx',             bob,   0",
  })
  void shouldDecideAsHdfs(String spec, String user, int most) {
    directory(0751);
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", spec));
    CallerProto caller = user.equals("alice") ? ALICE : user.equals("bob") ? BOB : CAROL;
    meta.as(caller);
    for (int permission = 0; permission <= 7; permission++) {
      boolean allowed = !meta.state().query(access("/d", permission).build()).hasError();
      assertEquals((permission & most) == permission, allowed, "permission=" + permission);
    }
  }

  @Test
  void shouldRefuseAccessToWhatIsNotThere() {
    meta.refuseQuery(ErrorCode.NOT_FOUND, access("/x", 0));
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, access("/", 8));
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, access("/", -1));
  }

  @Test
  void shouldHandDownADefaultAclInPlaceOfTheUmask() {
    directory(0750);
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "default:user:bob:rwx"));
    meta.as(ALICE);
    meta.ok(
        meta.request()
            .setMkdirs(
                MkdirsOp.newBuilder()
                    .setPath("/d/e/f")
                    .setMode(0700)
                    .setUnmaskedMode(0777)
                    .setCreateParents(true)));
    String inherited =
        ",default:user::rwx,default:user:bob:rwx,default:group::r-x,default:mask::rwx,"
            + "default:other::---";
    assertEquals("770 user:bob:rwx,group::r-x" + inherited, acl("/d/e"));
    assertEquals("770 user:bob:rwx,group::r-x" + inherited, acl("/d/e/f"));
    meta.ok(
        meta.request()
            .setCreate(
                CreateOp.newBuilder()
                    .setPath("/d/g")
                    .setMode(0600)
                    .setUnmaskedMode(0640)
                    .setHolder(MetadataHarness.id(1))));
    assertEquals("640 user:bob:rwx,group::r-x", acl("/d/g"));
  }

  @Test
  void shouldHandDownAMinimalDefaultAclAsAMode() {
    directory(0750);
    meta.ok(change(AclChangeProto.ACL_SET, "/d", "default:group::rwx"));
    meta.as(ALICE).ok(meta.create("/d/f", 0666, 1, false));
    assertEquals("660 ", acl("/d/f"));
  }

  @Test
  void shouldApplyTheUmaskWithoutADefaultAcl() {
    directory(0750);
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "user:bob:rwx"));
    meta.as(ALICE)
        .ok(
            meta.request()
                .setMkdirs(
                    MkdirsOp.newBuilder().setPath("/d/e").setMode(0700).setUnmaskedMode(0777)));
    assertEquals("700 ", acl("/d/e"));
  }

  @Test
  void shouldBeUpToTheOwner() {
    directory(0777);
    meta.as(BOB)
        .refuse(
            ErrorCode.PERMISSION_DENIED, change(AclChangeProto.ACL_MODIFY, "/d", "user:bob:rwx"));
    meta.as(ALICE).ok(change(AclChangeProto.ACL_MODIFY, "/d", "user:bob:rwx"));
    meta.as(ALICE).refuse(ErrorCode.NOT_FOUND, change(AclChangeProto.ACL_REMOVE_ALL, "/x", ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mask:x:rwx",
        "other:x:rwx",
        "user:bob:r--,user:bob:rw-",
        "user::rwx,user::r--",
      })
  void shouldRefuseEntriesThatMakeNoSense(String spec) {
    directory(0777);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, change(AclChangeProto.ACL_MODIFY, "/d", spec));
  }

  @Test
  void shouldRefuseAclsThatLackEntries() {
    directory(0777);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, change(AclChangeProto.ACL_SET, "/d", "user::rwx"));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, change(AclChangeProto.ACL_REMOVE_ENTRIES, "/d", "other::"));
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "user:bob:rwx"));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, change(AclChangeProto.ACL_REMOVE_ENTRIES, "/d", "mask::"));
    meta.ok(change(AclChangeProto.ACL_REMOVE_ENTRIES, "/d", "mask::,user:bob:"));
    assertEquals("777 ", acl("/d"));
  }

  @Test
  void shouldRefuseADefaultAclOfAFile() {
    meta.file("/f", 0);
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        change(AclChangeProto.ACL_MODIFY, "/f", "default:user:bob:rwx"));
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/f", "user:bob:rwx"));
    assertTrue(meta.status("/f").getHasAcl());
  }

  @Test
  void shouldBoundTheEntriesOfAScope() {
    directory(0700);
    StringBuilder spec = new StringBuilder("user:u0:r--");
    for (int i = 1; i < 28; i++) {
      spec.append(",user:u").append(i).append(":r--");
    }
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", spec.toString()));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, change(AclChangeProto.ACL_MODIFY, "/d", "user:x:r--"));
  }

  @Test
  void shouldKeepAclsInSnapshots() throws Exception {
    directory(0750);
    meta.ok(change(AclChangeProto.ACL_MODIFY, "/d", "user:bob:r--,default:group:g:rwx"));
    assertEquals(meta.saved(), meta.reloaded().saved());
    assertFalse(meta.reloaded().status("/").getHasAcl());
    assertTrue(meta.reloaded().status("/d").getHasAcl());
  }
}
