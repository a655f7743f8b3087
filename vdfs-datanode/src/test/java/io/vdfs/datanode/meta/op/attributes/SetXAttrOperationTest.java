package io.vdfs.datanode.meta.op.attributes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.SetXAttrOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SetXAttrOperationTest {
  private static final ByteString VALUE = ByteString.copyFromUtf8("v");

  private final MetadataHarness meta = new MetadataHarness();

  @BeforeEach
  void makeFile() {
    meta.ok(meta.mkdirs("/d", 01777));
    meta.as(MetadataHarness.ALICE).file("/d/f", 1);
  }

  private MetaRequest.Builder set(String name, ByteString value) {
    return meta.request()
        .setSetXattr(SetXAttrOp.newBuilder().setPath("/d/f").setName(name).setValue(value));
  }

  private MetaRequest.Builder flagged(String name, boolean create, boolean replace) {
    MetaRequest.Builder request = set(name, VALUE);
    request.getSetXattrBuilder().setCreate(create).setReplace(replace);
    return request;
  }

  private MetaRequest.Builder remove(String name) {
    return meta.request().setSetXattr(SetXAttrOp.newBuilder().setPath("/d/f").setName(name));
  }

  private MetaRequest.Builder withXAttrs(String path) {
    return meta.request()
        .setGetStatus(GetStatusQuery.newBuilder().setPath(path).setWithXattrs(true));
  }

  private MetaRequest.Builder named(String... names) {
    MetaRequest.Builder request = withXAttrs("/d/f");
    request.getGetStatusBuilder().addAllXattrNames(List.of(names));
    return request;
  }

  private Map<String, ByteString> xattrs(String... names) {
    return meta.answer(named(names)).getStatus().getXattrsMap();
  }

  @Test
  void shouldSetReplaceAndRemove() {
    meta.ok(set("user.a", VALUE));
    meta.ok(set("USER.B", ByteString.EMPTY));
    assertEquals(Map.of("user.a", VALUE, "user.B", ByteString.EMPTY), xattrs());
    assertEquals(Map.of(), meta.status("/d/f").getXattrsMap());
    meta.ok(set("user.a", ByteString.copyFromUtf8("w")));
    meta.ok(remove("user.B"));
    assertEquals(Map.of("user.a", ByteString.copyFromUtf8("w")), xattrs());
    meta.refuse(ErrorCode.INVALID_ARGUMENT, remove("user.B"));
  }

  @Test
  void shouldObeyCreateAndReplace() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, flagged("user.a", false, true));
    meta.ok(flagged("user.a", true, false));
    meta.refuse(ErrorCode.ALREADY_EXISTS, flagged("user.a", true, false));
    meta.ok(flagged("user.a", false, true));
    meta.ok(flagged("user.a", true, true));
    meta.ok(flagged("user.b", true, true));
  }

  @Test
  void shouldKeepNamespacesApart() {
    for (String name : new String[] {"trusted.a", "system.a", "security.a", "raw.a"}) {
      meta.refuse(ErrorCode.PERMISSION_DENIED, set(name, VALUE));
    }
    for (String name : new String[] {"", "a", ".a", "other.a", "user.", "user"}) {
      meta.refuse(ErrorCode.INVALID_ARGUMENT, set(name, VALUE));
    }
    meta.as(MetadataHarness.ROOT).ok(set("trusted.a", VALUE));
    meta.refuse(ErrorCode.PERMISSION_DENIED, set("system.a", VALUE));
    assertEquals(Set.of("trusted.a"), xattrs().keySet());
    meta.as(MetadataHarness.ALICE);
    assertEquals(Set.of(), xattrs().keySet());
  }

  @Test
  void shouldGiveAttributesByTheirNames() {
    meta.ok(set("user.a", VALUE));
    meta.ok(set("user.b", VALUE));
    meta.as(MetadataHarness.ROOT).ok(set("trusted.a", VALUE));
    assertEquals(Set.of("trusted.a"), xattrs("Trusted.a").keySet());

    meta.as(MetadataHarness.ALICE);
    assertEquals(Set.of("user.a", "user.b"), xattrs().keySet());
    assertEquals(Set.of("user.a"), xattrs("user.a", "USER.a").keySet());
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, named("user.a", "user.c"));
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, named("plain"));
    meta.refuseQuery(ErrorCode.PERMISSION_DENIED, named("user.a", "trusted.a"));
    meta.refuseQuery(ErrorCode.PERMISSION_DENIED, named("trusted.none"));
  }

  @Test
  void shouldNeedTheRightToReadAndWrite() {
    meta.ok(meta.chmod("/d/f", 0640));
    meta.as(MetadataHarness.CAROL).refuse(ErrorCode.PERMISSION_DENIED, set("user.a", VALUE));
    meta.refuseQuery(ErrorCode.PERMISSION_DENIED, withXAttrs("/d/f"));
  }

  @Test
  void shouldLeaveASharedDirectoryToItsOwner() {
    MetaRequest.Builder mark =
        meta.request()
            .setSetXattr(SetXAttrOp.newBuilder().setPath("/d").setName("user.a").setValue(VALUE));
    meta.refuse(ErrorCode.PERMISSION_DENIED, mark);
  }

  private MetaRequest.Builder close(String path, String value) {
    return meta.request()
        .setSetXattr(
            SetXAttrOp.newBuilder()
                .setPath(path)
                .setName("user.vdfs.close")
                .setValue(ByteString.copyFromUtf8(value)));
  }

  @Test
  void shouldHandDownHowFilesAreClosed() {
    meta.ok(meta.mkdirs("/d/staging", 0777));
    meta.file("/d/staging/before", 1);
    meta.ok(close("/d/staging", "unforced"));
    meta.ok(meta.mkdirs("/d/staging/job/deep", 0755));
    meta.file("/d/staging/job/deep/f", 1);
    assertTrue(meta.status("/d/staging/job/deep/f").getCloseUnforced());
    assertFalse(meta.status("/d/staging/before").getCloseUnforced());
    assertFalse(meta.status("/d/f").getCloseUnforced());

    assertTrue(meta.open("/d/staging/g", 5).getStatus().getCloseUnforced());
    meta.ok(meta.mkdirs("/d/staging/kept", 0755));
    meta.ok(close("/d/staging/kept", "forced"));
    meta.file("/d/staging/kept/f", 1);
    assertFalse(meta.status("/d/staging/kept/f").getCloseUnforced());
  }

  @Test
  void shouldLetTheOwnerAloneSayHowFilesAreClosed() {
    meta.ok(meta.mkdirs("/d/open", 0777));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, close("/d/open", "maybe"));
    meta.as(MetadataHarness.CAROL)
        .refuse(ErrorCode.PERMISSION_DENIED, close("/d/open", "unforced"));
    meta.as(MetadataHarness.ALICE).ok(close("/d/open", "unforced"));
  }

  @Test
  void shouldBoundNumberAndSize() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, set("user.a", ByteString.copyFrom(new byte[16_384])));
    meta.ok(set("user.a", ByteString.copyFrom(new byte[16_383])));
    for (int i = 0; i < 31; i++) {
      meta.ok(set("user.x" + i, VALUE));
    }
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, set("user.y", VALUE));
    meta.ok(set("user.x1", VALUE));
    meta.refuse(
        ErrorCode.NOT_FOUND,
        meta.request()
            .setSetXattr(
                SetXAttrOp.newBuilder().setPath("/d/x").setName("user.a").setValue(VALUE)));
  }
}
