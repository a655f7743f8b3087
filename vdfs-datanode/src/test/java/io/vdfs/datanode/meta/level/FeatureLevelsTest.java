package io.vdfs.datanode.meta.level;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AclChangeProto;
import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ChangeAclOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.ExpireStreamsOp;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.RaiseLevelOp;
import io.vdfs.common.wire.proto.RenameOp;
import io.vdfs.common.wire.proto.RequestKind;
import io.vdfs.common.wire.proto.RequestTraits;
import io.vdfs.datanode.ledger.draw.LastToFinishStealPolicy;
import io.vdfs.datanode.ledger.op.LedgerOperations;
import io.vdfs.datanode.meta.op.Operations;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class FeatureLevelsTest {
  private static final String FIELDS = "logged-fields.txt";

  private final FeatureLevels levels = FeatureLevels.ofThisRelease();

  /** Without a level here an operation is refused before it is logged. */
  @Test
  void shouldGiveEveryOperationALevel() {
    Operations operations = new Operations(levels);
    Set<String> missing = new TreeSet<>();
    for (FieldDescriptor operation : MetaRequest.getDescriptor().getOneofs().get(0).getFields()) {
      MetaRequest.OpCase name = MetaRequest.OpCase.forNumber(operation.getNumber());
      boolean logged = name == MetaRequest.OpCase.LEDGER || operations.find(name).isPresent();
      if (logged) {
        addMissing(operation, missing);
      } else {
        assertTrue(!levels.operations().containsKey(operation), () -> "no mutation: " + operation);
      }
    }
    assertTrue(
        missing.isEmpty(),
        () ->
            "operations without a feature level: "
                + missing
                + "; say it at the case in MetaRequest or LedgerRequest: level "
                + FeatureLevels.FIRST
                + " if nothing has been released since it is there, else one above the level of the"
                + " last release, which LoggedOperations.NEWEST then says too. An operation that is"
                + " there already never changes its meaning.");
  }

  @Test
  void shouldKnowWhatBecomesOfEveryRequest() {
    Operations operations = new Operations(levels);
    LedgerOperations ledger = new LedgerOperations(new LastToFinishStealPolicy());
    for (FieldDescriptor request : MetaRequest.getDescriptor().getOneofs().get(0).getFields()) {
      MetaRequest.OpCase name = MetaRequest.OpCase.forNumber(request.getNumber());
      RequestTraits traits = RequestCatalogue.traits(request);
      boolean mutation =
          traits.getKind() == RequestKind.MUTATION || traits.getKind() == RequestKind.RESERVED;
      assertTrue(traits.getKind() != RequestKind.NO_REQUEST, request::getFullName);
      assertEquals(mutation, traits.getLevel() > 0, request::getFullName);
      assertEquals(
          mutation,
          name == MetaRequest.OpCase.LEDGER || operations.find(name).isPresent(),
          request::getFullName);
    }
    for (FieldDescriptor request : LedgerRequest.getDescriptor().getOneofs().get(0).getFields()) {
      LedgerRequest.OpCase name = LedgerRequest.OpCase.forNumber(request.getNumber());
      assertEquals(RequestKind.MUTATION, RequestCatalogue.traits(request).getKind());
      assertTrue(ledger.find(name).isPresent(), request::getFullName);
    }
    assertEquals(RequestKind.NO_REQUEST, RequestCatalogue.kind(MetaRequest.getDefaultInstance()));
  }

  @Test
  void shouldLetNodesAloneExpireStreams() {
    MetaRequest.Builder request = MetaRequest.newBuilder();
    request.getLedgerBuilder().setExpire(ExpireStreamsOp.getDefaultInstance());
    assertTrue(RequestCatalogue.isByNodes(request.build()));
    request.getLedgerBuilder().setNext(NextRunOp.getDefaultInstance());
    assertTrue(!RequestCatalogue.isByNodes(request.build()));
  }

  private void addMissing(FieldDescriptor operation, Set<String> missing) {
    if (!levels.operations().containsKey(operation)) {
      missing.add(operation.getFullName());
    }
    Set<Descriptor> seen = new HashSet<>();
    if (operation.getJavaType() == JavaType.MESSAGE) {
      addMissing(operation.getMessageType(), missing, seen);
    }
  }

  /** A choice may stand at any depth of an operation. */
  private void addMissing(Descriptor type, Set<String> missing, Set<Descriptor> seen) {
    if (!seen.add(type)) {
      return;
    }
    for (FieldDescriptor field : type.getFields()) {
      if (field.getRealContainingOneof() != null && !levels.operations().containsKey(field)) {
        missing.add(field.getFullName());
      }
      if (field.getJavaType() == JavaType.MESSAGE) {
        addMissing(field.getMessageType(), missing, seen);
      }
    }
  }

  /** What a request may hold is as much part of the log as what it asks for. */
  @Test
  void shouldKnowEveryFieldAndValueThatMayStandInALog() throws Exception {
    Set<String> found = new TreeSet<>();
    fields(MetaRequest.getDescriptor(), found, new HashSet<>());
    Set<String> listed = new TreeSet<>(readFields());
    Set<String> added = new TreeSet<>(found);
    added.removeAll(listed);
    Set<String> gone = new TreeSet<>(listed);
    gone.removeAll(found);
    assertTrue(
        added.isEmpty() && gone.isEmpty(),
        () ->
            FIELDS
                + " does not list what requests in a log may hold.\nNew: add a line, and from the"
                + " first release on an entry of LoggedOperations.ADDITIONS with the next level:\n"
                + String.join("\n", added)
                + "\nGone or changed, which nothing may that was released; else remove the line:\n"
                + String.join("\n", gone));
    for (String name : LoggedOperations.ADDITIONS.keySet()) {
      assertTrue(
          found.stream().anyMatch(line -> line.startsWith(name + " ")),
          () -> "no such part: " + name);
    }
  }

  private void fields(Descriptor type, Set<String> found, Set<Object> seen) {
    if (!seen.add(type)) {
      return;
    }
    for (FieldDescriptor field : type.getFields()) {
      if (field.getRealContainingOneof() != null && !levels.operations().containsKey(field)) {
        continue; // a query, or a case that the other test complains of
      }
      found.add(
          "%s = %d %s%s"
              .formatted(
                  field.getFullName(),
                  field.getNumber(),
                  field.isRepeated() ? "REPEATED " : "",
                  field.getType()));
      if (field.getJavaType() == JavaType.MESSAGE) {
        fields(field.getMessageType(), found, seen);
      } else if (field.getJavaType() == JavaType.ENUM) {
        values(field.getEnumType(), found);
      }
    }
  }

  private static void values(EnumDescriptor type, Set<String> found) {
    type.getValues()
        .forEach(value -> found.add(value.getFullName() + " = " + value.getNumber() + " VALUE"));
  }

  private static List<String> readFields() throws IOException {
    try (InputStream in = FeatureLevelsTest.class.getResourceAsStream(FIELDS)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }
  }

  @Test
  void shouldLetOperationsOfTheLevelInForceBeLogged() {
    assertDoesNotThrow(() -> levels.requireLoggable(rename(), 1));
    assertDoesNotThrow(() -> levels.requireLoggable(draw(NextRunOp.getDefaultInstance()), 1));
  }

  @Test
  void shouldRefuseWhatNamesNoOperationAtSomeDepth() {
    assertRefused("vdfs.MetaRequest", MetaRequest.getDefaultInstance());
    assertRefused(
        "vdfs.LedgerRequest",
        MetaRequest.newBuilder().setLedger(LedgerRequest.getDefaultInstance()).build());
    assertRefused(
        "vdfs.MetaRequest.list",
        MetaRequest.newBuilder().setList(ListQuery.newBuilder().setPath("/")).build());
  }

  @Test
  void shouldRefuseFieldsThatItDoesNotKnowAtAnyDepth() {
    assertRefused("vdfs.MetaRequest", withUnknown(rename()));
    assertRefused(
        "vdfs.RenameOp",
        MetaRequest.newBuilder().setRename(withUnknown(RenameOp.getDefaultInstance())).build());
    assertRefused(
        "vdfs.CallIdProto",
        rename().toBuilder().setCallId(withUnknown(CallIdProto.getDefaultInstance())).build());
    assertRefused(
        "vdfs.CallerProto",
        rename().toBuilder().setCaller(withUnknown(CallerProto.getDefaultInstance())).build());
    assertRefused(
        "vdfs.GroupSyncProto",
        MetaRequest.newBuilder()
            .setComplete(
                CompleteOp.newBuilder()
                    .addSynced(GroupSyncProto.getDefaultInstance())
                    .addSynced(withUnknown(GroupSyncProto.getDefaultInstance())))
            .build());
    assertRefused(
        "vdfs.FileKeyProto",
        MetaRequest.newBuilder()
            .setComplete(
                CompleteOp.newBuilder().setFile(withUnknown(FileKeyProto.getDefaultInstance())))
            .build());
    assertRefused("vdfs.NextRunOp", draw(withUnknown(NextRunOp.getDefaultInstance())));
  }

  @SuppressWarnings("unchecked")
  private static <M extends Message> M withUnknown(M message) {
    return (M)
        message.toBuilder()
            .setUnknownFields(
                UnknownFieldSet.newBuilder()
                    .addField(9_999, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                    .build())
            .build();
  }

  @Test
  void shouldRefuseValuesThatItDoesNotKnow() {
    assertRefused(
        "vdfs.ChangeAclOp.change",
        MetaRequest.newBuilder().setChangeAcl(ChangeAclOp.newBuilder().setChangeValue(77)).build());
    assertRefused(
        "vdfs.AclEntryProto.type",
        acl(AclChangeProto.ACL_MODIFY, AclEntryProto.newBuilder().setTypeValue(-1).build()));
  }

  private static MetaRequest acl(AclChangeProto change, AclEntryProto entry) {
    return MetaRequest.newBuilder()
        .setChangeAcl(ChangeAclOp.newBuilder().setChange(change).addEntries(entry))
        .build();
  }

  /** A later release, as seen from this one. */
  private FeatureLevels later() {
    Map<FieldDescriptor, Integer> operations = new HashMap<>(levels.operations());
    operations.put(
        MetaRequest.getDescriptor().findFieldByNumber(MetaRequest.SET_QUOTA_FIELD_NUMBER), 3);
    operations.put(
        LedgerRequest.getDescriptor().findFieldByNumber(LedgerRequest.RENEW_FIELD_NUMBER), 2);
    return new FeatureLevels(
        3,
        operations,
        Map.of(
            "vdfs.RenameOp.overwrite", 2,
            "vdfs.AclChangeProto.ACL_REMOVE_ALL", 2,
            "vdfs.AclEntryProto.is_default", 3,
            "vdfs.CallerProto.groups", 2));
  }

  @Test
  void shouldRefuseWhatIsAboveTheLevelInForce() {
    MetaRequest quota =
        MetaRequest.newBuilder()
            .setSetQuota(MetaRequest.getDefaultInstance().getSetQuota())
            .build();
    assertFrom(3, quota);
    assertFrom(
        2,
        MetaRequest.newBuilder()
            .setLedger(
                LedgerRequest.newBuilder().setRenew(LedgerRequest.getDefaultInstance().getRenew()))
            .build());
    assertFrom(1, rename());
    assertFrom(
        2, MetaRequest.newBuilder().setRename(RenameOp.newBuilder().setOverwrite(true)).build());
    assertFrom(
        2, rename().toBuilder().setCaller(CallerProto.newBuilder().addGroups("staff")).build());
    assertFrom(1, acl(AclChangeProto.ACL_MODIFY, AclEntryProto.getDefaultInstance()));
    assertFrom(2, acl(AclChangeProto.ACL_REMOVE_ALL, AclEntryProto.getDefaultInstance()));
    assertFrom(
        3, acl(AclChangeProto.ACL_SET, AclEntryProto.newBuilder().setIsDefault(true).build()));
  }

  private void assertFrom(int level, MetaRequest request) {
    FeatureLevels later = later();
    for (int inForce = 1; inForce <= 3; inForce++) {
      int now = inForce;
      if (now >= level) {
        assertDoesNotThrow(() -> later.requireLoggable(request, now));
      } else {
        VdfsException refusal =
            assertThrows(VdfsException.class, () -> later.requireLoggable(request, now));
        assertEquals(ErrorCode.UNSUPPORTED, refusal.code());
        assertTrue(
            refusal.getMessage().contains("level=%d, inForce=%d".formatted(level, now)),
            refusal::getMessage);
      }
    }
  }

  @Test
  void shouldRaiseTheLevelToWhatItCanCarryOutOnly() {
    FeatureLevels later = later();
    List<Integer> accepted = new ArrayList<>();
    for (int level = 0; level <= 4; level++) {
      try {
        later.requireLoggable(raise(level), 1);
        accepted.add(level);
      } catch (VdfsException e) {
        assertEquals(ErrorCode.UNSUPPORTED, e.code());
      }
    }
    assertEquals(List.of(2, 3), accepted);
    assertThrows(VdfsException.class, () -> later.requireLoggable(raise(-1), 1));
    assertEquals(1, later.after(List.of(rename()), 1));
    assertEquals(3, later.after(List.of(rename(), raise(3), raise(2)), 1));
  }

  private static MetaRequest raise(int level) {
    return MetaRequest.newBuilder()
        .setRaiseLevel(RaiseLevelOp.newBuilder().setLevel(level))
        .build();
  }

  private static MetaRequest rename() {
    return MetaRequest.newBuilder().setRename(RenameOp.newBuilder().setSource("/a")).build();
  }

  private static MetaRequest draw(NextRunOp next) {
    return MetaRequest.newBuilder().setLedger(LedgerRequest.newBuilder().setNext(next)).build();
  }

  private void assertRefused(String where, MetaRequest request) {
    VdfsException refusal =
        assertThrows(VdfsException.class, () -> levels.requireLoggable(request, 1));
    assertEquals(ErrorCode.UNSUPPORTED, refusal.code());
    assertTrue(refusal.getMessage().contains(where), refusal::getMessage);
  }
}
