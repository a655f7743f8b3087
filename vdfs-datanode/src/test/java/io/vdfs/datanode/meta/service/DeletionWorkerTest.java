package io.vdfs.datanode.meta.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PollDeletionsResult;
import io.vdfs.datanode.meta.service.edge.FileRemover;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DeletionWorkerTest {
  private static final NodeId SELF = NodeId.random();
  private static final Duration PERIOD = Duration.ofSeconds(3);

  private final ManualLoop loop = new ManualLoop();
  private final List<FileKey> removed = new ArrayList<>();
  private final Set<FileKey> stuck = new HashSet<>();
  private final List<Long> acknowledged = new ArrayList<>();
  private long queued;
  private boolean away;
  private int forces;
  private boolean forceFails;

  private DeletionWorker start() {
    return start(Duration.ZERO);
  }

  private DeletionWorker start(Duration gathering) {
    DeletionWorker worker =
        new DeletionWorker(SELF, this::leader, new Remover(), PERIOD, gathering, loop);
    worker.start();
    loop.run();
    return worker;
  }

  private final class Remover implements FileRemover {
    @Override
    public void remove(FileKey file) throws IOException {
      if (stuck.contains(file)) {
        throw new IOException("planted");
      }
      removed.add(file);
    }

    @Override
    public void force(long lastDeletion) throws IOException {
      forces++;
      if (forceFails) {
        throw new IOException("planted");
      }
    }
  }

  private CompletableFuture<MetaResponse> leader(MetaRequest request) {
    return CompletableFuture.completedFuture(
        away ? Errors.response(ErrorCode.UNAVAILABLE, "planted") : answer(request));
  }

  private MetaResponse answer(MetaRequest request) {
    if (request.hasAckDeletions()) {
      assertEquals(WireIds.encode(SELF), request.getAckDeletions().getNode());
      acknowledged.add(request.getAckDeletions().getSequence());
      return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
    }
    PollDeletionsResult.Builder page = PollDeletionsResult.newBuilder();
    long first = request.getPollDeletions().getAfter() + 1;
    for (long s = first; s <= queued && s < first + request.getPollDeletions().getLimit(); s++) {
      page.addDeletions(
          DeletionProto.newBuilder()
              .setSequence(s)
              .setFile(FileKeyProto.newBuilder().setFileId(s).setGeneration(1)));
    }
    return MetaResponse.newBuilder().setDeletions(page).build();
  }

  @Test
  void shouldRemoveAndAcknowledgePageByPage() {
    queued = DeletionWorker.PAGE + 10;
    start();
    assertEquals(DeletionWorker.PAGE + 10, removed.size());
    assertEquals(List.of((long) DeletionWorker.PAGE, queued), acknowledged);
    assertEquals(2, forces);
    queued++;
    loop.advance(PERIOD);
    assertEquals(queued, acknowledged.get(2));
  }

  @Test
  void shouldRemoveTheRestButAcknowledgeNothingBeyondAFileThatStays() {
    queued = DeletionWorker.PAGE + 5;
    stuck.add(new FileKey(3, 1));
    start();
    assertEquals(queued - 1, removed.size());
    assertEquals(List.of(2L), acknowledged);
    queued++;
    loop.advance(PERIOD);
    assertEquals(List.of(2L), acknowledged);
    stuck.clear();
    loop.advance(PERIOD.multipliedBy(3));
    assertEquals(List.of(2L, 2L + DeletionWorker.PAGE, queued), acknowledged);
  }

  @Test
  void shouldAcknowledgeNothingThatIsNotForced() {
    queued = 5;
    forceFails = true;
    start();
    assertEquals(5, removed.size());
    assertEquals(List.of(), acknowledged);
    loop.advance(PERIOD.multipliedBy(4));
    assertEquals(List.of(), acknowledged);
    forceFails = false;
    loop.advance(PERIOD.multipliedBy(8));
    assertEquals(List.of(5L), acknowledged);
  }

  @Test
  void shouldForceWhatGatheredForAWhileTogether() {
    queued = 3;
    start(PERIOD.multipliedBy(3));
    assertEquals(3, removed.size());
    queued = 5;
    loop.advance(PERIOD);
    assertEquals(5, removed.size());
    assertEquals(0, forces);
    assertEquals(List.of(), acknowledged);
    loop.advance(PERIOD.multipliedBy(2));
    assertEquals(List.of(5L), acknowledged);
    assertEquals(1, forces);

    queued = 6;
    loop.advance(PERIOD);
    assertEquals(1, forces, "the next ones gather anew");
    queued += DeletionWorker.PAGE;
    loop.advance(PERIOD);
    assertEquals(List.of(5L, queued), acknowledged, "a page is enough");
    assertEquals(2, forces);
  }

  @Test
  void shouldTryAgainWhatGatheredWhereTheForceFailed() {
    queued = 2;
    forceFails = true;
    start(PERIOD);
    loop.advance(PERIOD.multipliedBy(4));
    assertEquals(List.of(), acknowledged);
    forceFails = false;
    loop.advance(PERIOD.multipliedBy(20));
    assertEquals(List.of(2L), acknowledged);
    assertEquals(new FileKey(1, 1), removed.get(removed.size() - 2), "removed once more");
  }

  /** To try again means to walk over all from the first that failed on. */
  @Test
  void shouldNotPutOffWhatGatheredForWhatCannotBeRemoved() {
    queued = 5;
    stuck.add(new FileKey(4, 1));
    start(PERIOD.multipliedBy(3));
    loop.advance(PERIOD.multipliedBy(3));
    assertEquals(List.of(3L), acknowledged);
    stuck.clear();
    loop.advance(PERIOD.multipliedBy(8));
    assertEquals(List.of(3L, 5L), acknowledged);
  }

  @Test
  void shouldWaitForALeader() {
    queued = 1;
    away = true;
    start();
    assertEquals(List.of(), removed);
    away = false;
    loop.advance(PERIOD);
    assertEquals(List.of(1L), acknowledged);
  }

  @Test
  void shouldStopWhenTold() {
    DeletionWorker worker = start();
    worker.stop();
    queued = 1;
    loop.advance(PERIOD.multipliedBy(3));
    assertEquals(List.of(), removed);
  }
}
