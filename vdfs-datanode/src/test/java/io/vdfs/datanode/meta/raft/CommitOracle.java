package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.NamespaceOracle;
import io.vdfs.datanode.meta.NamespaceOracle.Entry;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Knows what must have come of each committed request, each call being carried out once. */
final class CommitOracle {
  private static final int RECOVERING = -1;

  private final NamespaceOracle namespace = new NamespaceOracle();
  private final SimulatedStores stores;
  private final Map<CallIdProto, MetaResponse> first = new HashMap<>();
  private long clock;
  private int recovered;
  private int retried;

  CommitOracle(SimulatedStores stores) {
    this.stores = stores;
  }

  NamespaceOracle namespace() {
    return namespace;
  }

  int recovered() {
    return recovered;
  }

  int retried() {
    return retried;
  }

  /** Checks the answer that a call got at last. */
  void onAnswer(MetaRequest request, MetaResponse answer) {
    assertEquals(first.get(request.getCallId()), answer, () -> "answer to " + request);
  }

  /** Checks what came of a request when it was carried out, in the order of the log. */
  void onCommit(MetaRequest request, MetaResponse response) {
    clock = Math.max(clock, request.getTimeMillis());
    MetaResponse before = first.putIfAbsent(request.getCallId(), response);
    if (before != null) {
      retried++;
      assertEquals(before, response, () -> "second outcome of " + request);
      return;
    }
    Optional<ErrorCode> expected = carryOut(request, response);
    assertEquals(
        expected.map(ErrorCode::name).orElse(""),
        response.getError().getCode(),
        () -> request + " got " + response);
  }

  private Optional<ErrorCode> carryOut(MetaRequest request, MetaResponse response) {
    return switch (request.getOpCase()) {
      case MKDIRS -> namespace.mkdirs(request.getMkdirs().getPath(), true, clock);
      case CREATE -> create(request, response);
      case APPEND ->
          namespace.append(
              request.getAppend().getPath(), holder(request.getAppend().getHolder().byteAt(0)));
      case RENAME ->
          namespace.rename(
              request.getRename().getSource(),
              request.getRename().getTarget(),
              request.getRename().getOverwrite(),
              clock);
      case DELETE ->
          namespace.delete(
              request.getDelete().getPath(), request.getDelete().getRecursive(), clock);
      case COMPLETE -> complete(request.getComplete());
      case BEGIN_RECOVERY ->
          begin(request.getBeginRecovery().getFile(), request.getBeginRecovery().getWriteEpoch());
      case FINISH_RECOVERY -> finish(request.getFinishRecovery(), response);
      case RECLAIM, ACK_DELETIONS, LEDGER -> Optional.empty();
      default -> throw new AssertionError("not expected in the log: " + request);
    };
  }

  private static int holder(byte id) {
    return id;
  }

  private Optional<ErrorCode> create(MetaRequest request, MetaResponse response) {
    String path = request.getCreate().getPath();
    Optional<ErrorCode> refused =
        namespace.create(
            path,
            holder(request.getCreate().getHolder().byteAt(0)),
            request.getCreate().getOverwrite(),
            true,
            clock);
    if (refused.isEmpty()) {
      namespace.get(path).fileId = response.getOpenFile().getFileId();
    }
    return refused;
  }

  private Optional<String> path(FileKeyProto key) {
    return namespace.entries().entrySet().stream()
        .filter(entry -> !entry.getValue().directory)
        .filter(entry -> entry.getValue().fileId == key.getFileId())
        .map(Map.Entry::getKey)
        .findAny();
  }

  private Optional<ErrorCode> complete(CompleteOp op) {
    Optional<String> path = path(op.getFile());
    if (path.isEmpty()) {
      return Optional.of(ErrorCode.NOT_FOUND);
    }
    Entry file = namespace.get(path.get());
    if (file.holder != holder(op.getHolder().byteAt(0)) || file.epoch != op.getWriteEpoch()) {
      return Optional.of(ErrorCode.FENCED);
    }
    if (op.getSyncedList().stream().anyMatch(group -> group.getNodesCount() < 2)) {
      return Optional.of(ErrorCode.INVALID_ARGUMENT);
    }
    namespace.complete(path.get(), op.getLength(), clock);
    return Optional.empty();
  }

  private Optional<ErrorCode> begin(FileKeyProto key, int epoch) {
    Optional<String> path = path(key);
    if (path.isEmpty()) {
      return Optional.of(ErrorCode.NOT_FOUND);
    }
    Entry file = namespace.get(path.get());
    if (file.holder == 0 || file.epoch != epoch) {
      return Optional.of(ErrorCode.FENCED);
    }
    file.epoch++;
    file.holder = RECOVERING;
    return Optional.empty();
  }

  private Optional<ErrorCode> finish(FinishRecoveryOp op, MetaResponse response) {
    Optional<String> path = path(op.getFile());
    if (path.isEmpty()) {
      return Optional.of(ErrorCode.NOT_FOUND);
    }
    Entry file = namespace.get(path.get());
    if (file.holder != RECOVERING || file.epoch != op.getWriteEpoch()) {
      return Optional.of(ErrorCode.FENCED);
    }
    assertTrue(
        op.getLength() >= stores.acknowledged(file.fileId),
        () -> "acknowledged=" + stores.acknowledged(file.fileId) + ", closed at " + op);
    checkCopies(op, response.getComplete().getStatus());
    namespace.complete(path.get(), op.getLength(), clock);
    recovered++;
    return Optional.empty();
  }

  /** No recovery closes a file that fewer than two nodes hold. */
  private void checkCopies(FinishRecoveryOp op, StatusProto status) {
    long start = status.getLength();
    int group = MetadataHarness.GEOMETRY.groupAt(Math.max(0, start - 1));
    long length = start - group * MetadataHarness.GROUP;
    if (length > 0) {
      long good = stores.goodCopies(status, group, length);
      // one copy may have come to harm since it was read back
      assertTrue(good >= 1, () -> "no good copy: " + op + ", " + status);
      long counted =
          stores.nodes().stream()
              .filter(node -> !SimulatedStores.isExcluded(status, node, group))
              .count();
      assertTrue(counted >= 2, () -> "closed on fewer than two copies: " + op);
    }
  }

  /** Checks an answer that was made when all that was committed had been carried out. */
  void onStatus(String path, MetaResponse response) {
    Optional<ErrorCode> missing = namespace.status(path);
    assertEquals(missing.map(ErrorCode::name).orElse(""), response.getError().getCode(), path);
    if (missing.isEmpty()) {
      Entry entry = namespace.get(path);
      StatusProto status = response.getStatus();
      assertEquals(entry.directory, status.getDirectory(), path);
      if (!entry.directory) {
        assertEquals(entry.fileId, status.getInodeId(), path);
        assertEquals(entry.length, status.getLength(), path);
        assertEquals(entry.holder != 0, status.getUnderConstruction(), path);
        stores.checkReaders(status);
      }
    }
  }
}
