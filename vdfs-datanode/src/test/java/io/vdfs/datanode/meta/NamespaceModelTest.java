package io.vdfs.datanode.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.ReclaimOp;
import io.vdfs.common.wire.proto.StatusProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Random operations compared with the simplest model of a namespace; a second replica gets the same
 * requests over the wire, and comes from a snapshot half-way.
 */
class NamespaceModelTest {
  private static final int RUNS = 200;
  private static final int OPERATIONS = 500;

  private final Set<ErrorCode> seen = EnumSet.noneOf(ErrorCode.class);
  private int succeeded;

  @Test
  void shouldBehaveAsTheSimpleNamespace() throws IOException {
    for (long seed = 0; seed < RUNS; seed++) {
      Run run = new Run(seed);
      for (int i = 0; i < OPERATIONS; i++) {
        run.step(i);
        if (i % 100 == 0) {
          run.compare();
        }
        if (i == OPERATIONS / 2) {
          run.replaceReplica();
        }
      }
      run.compare();
      run.finish();
    }
    assertTrue(succeeded > RUNS * OPERATIONS / 4, "few operations succeed: " + succeeded);
    assertTrue(
        seen.containsAll(
            EnumSet.of(
                ErrorCode.NOT_FOUND,
                ErrorCode.ALREADY_EXISTS,
                ErrorCode.NOT_A_DIRECTORY,
                ErrorCode.IS_A_DIRECTORY,
                ErrorCode.DIRECTORY_NOT_EMPTY,
                ErrorCode.INVALID_ARGUMENT,
                ErrorCode.LEASE_CONFLICT)),
        seen::toString);
  }

  private final class Run {
    private final long seed;
    private final Random random;
    private final MetadataHarness meta = new MetadataHarness();
    private final NamespaceOracle oracle = new NamespaceOracle();
    private MetadataHarness replica = new MetadataHarness();
    private long now = 1;
    private long call;
    private String trace = "";

    Run(long seed) {
      this.seed = seed;
      this.random = new Random(seed);
    }

    private String path() {
      int depth = random.nextInt(30) == 0 ? 0 : 1 + random.nextInt(4);
      StringBuilder path = new StringBuilder(depth == 0 ? "/" : "");
      for (int i = 0; i < depth; i++) {
        path.append('/').append((char) ('a' + random.nextInt(3)));
      }
      return path.toString();
    }

    void step(int number) throws InvalidProtocolBufferException {
      now += random.nextInt(3);
      meta.at(now);
      trace = "seed=" + seed + ", step=" + number;
      switch (random.nextInt(12)) {
        case 0, 1, 2 -> mkdirs(path(), random.nextInt(3) > 0);
        case 3, 4, 5 -> create(path(), 1 + random.nextInt(2), random.nextBoolean());
        case 6 -> append(path(), 1 + random.nextInt(2));
        case 7, 8 -> rename(path(), path(), random.nextBoolean());
        case 9 -> delete(path(), random.nextBoolean());
        case 10 -> complete();
        default -> {
          String path = path();
          check(oracle.status(path), meta.state().query(meta.getStatus(path).build()), path);
          both(meta.request().setReclaim(ReclaimOp.newBuilder().setLimit(1 + random.nextInt(9))));
        }
      }
    }

    /** Applies the request to both replicas, and sometimes once more. */
    private MetaResponse both(MetaRequest.Builder builder) throws InvalidProtocolBufferException {
      call++;
      builder.setCallId(CallIdProto.newBuilder().setClientId(MetadataHarness.id(7)).setCall(call));
      MetaRequest request = builder.build();
      MetaResponse response = meta.state().apply(request);
      MetaRequest received = MetaRequest.parseFrom(request.toByteString());
      assertEquals(response, replica.state().apply(received), trace);
      if (random.nextInt(10) == 0) {
        assertEquals(response, meta.state().apply(received), trace);
        assertEquals(response, replica.state().apply(received), trace);
      }
      return response;
    }

    private void check(Optional<ErrorCode> expected, MetaResponse actual, String what) {
      assertEquals(
          expected.map(ErrorCode::name).orElse(""),
          actual.getError().getCode(),
          () -> trace + ", " + what + ", " + actual);
      expected.ifPresent(seen::add);
      succeeded += expected.isEmpty() ? 1 : 0;
    }

    private void mkdirs(String path, boolean parents) throws InvalidProtocolBufferException {
      MkdirsOp.Builder op =
          MkdirsOp.newBuilder().setPath(path).setMode(0755).setCreateParents(parents);
      boolean created = oracle.get(path) == null;
      MetaResponse response = both(meta.request().setMkdirs(op));
      check(oracle.mkdirs(path, parents, now), response, "mkdirs " + path);
      assertEquals(created && !response.hasError(), response.getMkdirs().getCreated(), trace);
    }

    private void create(String path, int holder, boolean overwrite)
        throws InvalidProtocolBufferException {
      boolean parents = random.nextInt(3) == 0;
      MetaRequest.Builder request = meta.create(path, 0644, holder, overwrite);
      request.getCreateBuilder().setCreateParents(parents);
      MetaResponse response = both(request);
      check(oracle.create(path, holder, overwrite, parents, now), response, "create " + path);
      if (!response.hasError()) {
        oracle.get(path).fileId = response.getOpenFile().getFileId();
      }
    }

    private void append(String path, int holder) throws InvalidProtocolBufferException {
      check(oracle.append(path, holder), both(meta.append(path, holder)), "append " + path);
    }

    private void rename(String source, String target, boolean overwrite)
        throws InvalidProtocolBufferException {
      MetaResponse response = both(meta.rename(source, target, overwrite));
      String what = "rename " + source + " " + target;
      check(oracle.rename(source, target, overwrite, now), response, what);
    }

    private void delete(String path, boolean recursive) throws InvalidProtocolBufferException {
      boolean existed = oracle.get(path) != null && !path.equals("/");
      MetaResponse response = both(meta.delete(path, recursive));
      check(oracle.delete(path, recursive, now), response, "delete " + path);
      assertEquals(existed && !response.hasError(), response.getDelete().getDeleted(), trace);
    }

    /** Completes the files that are open by now. */
    private void complete() throws InvalidProtocolBufferException {
      for (String path : List.copyOf(oracle.entries().keySet())) {
        NamespaceOracle.Entry file = oracle.get(path);
        if (file.holder != 0) {
          long length = file.length + random.nextInt(3_000);
          CompleteOp.Builder op =
              meta.complete(file.fileId, file.holder, file.epoch, length).getCompleteBuilder();
          long untouched =
              length == file.length ? Long.MAX_VALUE : file.length / MetadataHarness.GROUP;
          List<GroupSyncProto> written = op.getSyncedList().stream().skip(untouched).toList();
          op.clearSynced().addAllSynced(written);
          check(Optional.empty(), both(meta.request().setComplete(op)), "complete " + path);
          oracle.complete(path, length, now);
        }
      }
    }

    void compare() {
      assertEquals(described(oracle.entries()), described(walk()), trace);
      assertEquals(
          oracle.entries().values().stream().filter(entry -> entry.holder != 0).count(),
          meta.leases().size(),
          trace);
    }

    private List<String> described(Map<String, NamespaceOracle.Entry> entries) {
      List<String> lines = new ArrayList<>();
      entries.forEach((path, entry) -> lines.add(path + " " + entry));
      return lines;
    }

    private Map<String, NamespaceOracle.Entry> walk() {
      Map<String, NamespaceOracle.Entry> found = new TreeMap<>();
      walk("/", meta.status("/"), found);
      return found;
    }

    private void walk(String path, StatusProto status, Map<String, NamespaceOracle.Entry> found) {
      NamespaceOracle.Entry entry =
          new NamespaceOracle.Entry(status.getDirectory(), status.getModificationMillis());
      entry.fileId = status.getInodeId();
      entry.length = status.getLength();
      entry.holder = status.getUnderConstruction() ? 1 : 0;
      entry.epoch = status.getWriteEpoch();
      found.put(path, entry);
      if (status.getDirectory()) {
        String prefix = path.equals("/") ? "/" : path + "/";
        for (StatusProto child : list(path)) {
          assertEquals(status.getInodeId(), child.getParentId(), trace);
          walk(prefix + child.getName(), child, found);
        }
      }
    }

    private List<StatusProto> list(String path) {
      List<StatusProto> entries = new ArrayList<>();
      ListResult page;
      do {
        String after = entries.isEmpty() ? "" : entries.get(entries.size() - 1).getName();
        ListQuery.Builder query =
            ListQuery.newBuilder()
                .setPath(path)
                .setStartAfter(after)
                .setLimit(1 + random.nextInt(3));
        page = MetadataHarness.page(meta.answer(meta.request().setList(query)));
        entries.addAll(page.getEntriesList());
      } while (page.getMore());
      return entries;
    }

    void replaceReplica() throws IOException {
      assertEquals(meta.saved(), replica.saved(), trace);
      replica = replica.reloaded();
    }

    /** All that was deleted reaches the deletion queue once, and nothing else does. */
    void finish() throws InvalidProtocolBufferException {
      long pending = 1;
      while (pending > 0) {
        pending =
            both(meta.request().setReclaim(ReclaimOp.getDefaultInstance()))
                .getReclaim()
                .getPending();
      }
      List<Long> deleted = new ArrayList<>();
      long after = 0;
      List<DeletionProto> page;
      do {
        page =
            meta.answer(
                    meta.request()
                        .setPollDeletions(PollDeletionsQuery.newBuilder().setAfter(after)))
                .getDeletions()
                .getDeletionsList();
        page.forEach(deletion -> deleted.add(deletion.getFile().getFileId()));
        after = page.isEmpty() ? after : page.get(page.size() - 1).getSequence();
      } while (!page.isEmpty());
      assertEquals(oracle.freed(), new TreeSet<>(deleted), trace);
      assertEquals(oracle.freed().size(), deleted.size(), trace);
      assertEquals(meta.saved(), replica.saved(), trace);
    }
  }
}
