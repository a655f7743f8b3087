package io.vdfs.datanode.meta.raft.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.raft.TestGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RequestPackerTest {
  private static final RequestPacker.Limits LIMITS =
      new RequestPacker.Limits(100, 4, 10, Duration.ofSeconds(20));

  /** Batches sent, and the futures by which the test answers them. */
  private final List<List<String>> batches = new ArrayList<>();

  private final List<CompletableFuture<List<MetaResponse>>> answers = new CopyOnWriteArrayList<>();

  private RequestPacker packer(RequestPacker.Limits limits) {
    return new RequestPacker(
        this::send,
        request -> request.getMkdirs().getPath().length(),
        failure -> Errors.response(ErrorCode.UNAVAILABLE, "failed: " + failure.getMessage()),
        limits,
        Runnable::run);
  }

  private CompletableFuture<List<MetaResponse>> send(List<MetaRequest> batch) {
    batches.add(batch.stream().map(request -> request.getMkdirs().getPath()).toList());
    CompletableFuture<List<MetaResponse>> answer = new CompletableFuture<>();
    answers.add(answer);
    return answer;
  }

  private static MetaRequest mkdirs(String path) {
    return MetaRequest.newBuilder().setMkdirs(MkdirsOp.newBuilder().setPath(path)).build();
  }

  private final List<CompletableFuture<MetaResponse>> offered = new ArrayList<>();

  /** Adds a request whose answer the test doesn't look at. */
  private void offer(RequestPacker packer, String path) {
    offered.add(packer.add(mkdirs(path)));
  }

  private static List<MetaResponse> named(List<String> names) {
    return names.stream()
        .map(
            name ->
                MetaResponse.newBuilder().setStatus(StatusProto.newBuilder().setName(name)).build())
        .toList();
  }

  private void answer(int batch) {
    answers.get(batch).complete(named(batches.get(batch)));
  }

  private static String name(CompletableFuture<MetaResponse> future) {
    return future.join().getStatus().getName();
  }

  private static ErrorCode code(CompletableFuture<MetaResponse> future) {
    return WireIds.errorCode(future.join().getError());
  }

  @Test
  void shouldPackWhatArrivesWhileABatchIsUnderWayAndKeepTheOrder() {
    RequestPacker packer = packer(LIMITS);
    List<CompletableFuture<MetaResponse>> futures = new ArrayList<>();
    for (String path : List.of("a", "b", "c", "d", "e", "f")) {
      futures.add(packer.add(mkdirs(path)));
    }
    assertEquals(List.of(List.of("a")), batches);
    answer(0);
    assertEquals(List.of(List.of("a"), List.of("b", "c", "d", "e")), batches);
    answer(1);
    assertEquals(List.of("f"), batches.get(2));
    answer(2);
    assertEquals(
        List.of("a", "b", "c", "d", "e", "f"),
        futures.stream().map(RequestPackerTest::name).toList());
    offer(packer, "g");
    assertEquals(List.of("g"), batches.get(3));
  }

  @Test
  void shouldTakeCallersThatComeBackAtOnceIntoTheNextBatch() {
    RequestPacker packer = packer(LIMITS);
    CompletableFuture<MetaResponse> again =
        packer.add(mkdirs("a")).thenCompose(response -> packer.add(mkdirs("again")));
    offer(packer, "b");
    answer(0);
    assertEquals(List.of(List.of("a"), List.of("b", "again")), batches);
    answer(1);
    assertEquals("again", name(again));
  }

  @Test
  void shouldKeepBatchesWithinTheByteLimitAndRefuseLargerRequests() {
    RequestPacker packer = packer(LIMITS);
    offer(packer, "first");
    String sixty = "x".repeat(60);
    offer(packer, sixty);
    offer(packer, sixty);
    CompletableFuture<MetaResponse> tooLarge = packer.add(mkdirs("x".repeat(101)));
    assertEquals(ErrorCode.INVALID_ARGUMENT, code(tooLarge));
    answer(0);
    assertEquals(List.of(sixty), batches.get(1));
    answer(1);
    assertEquals(List.of(sixty), batches.get(2));
    CompletableFuture<MetaResponse> largest = packer.add(mkdirs("x".repeat(100)));
    answer(2);
    answer(3);
    assertFalse(largest.join().hasError());
  }

  @Test
  void shouldGiveEachItsOwnResponseWhenOneFails() {
    RequestPacker packer = packer(LIMITS);
    offer(packer, "first");
    List<CompletableFuture<MetaResponse>> three =
        List.of(packer.add(mkdirs("a")), packer.add(mkdirs("b")), packer.add(mkdirs("c")));
    answer(0);
    answers
        .get(1)
        .complete(
            List.of(
                named(List.of("a")).get(0),
                Errors.response(ErrorCode.NOT_FOUND, "planted"),
                named(List.of("c")).get(0)));
    assertEquals("a", name(three.get(0)));
    assertEquals(ErrorCode.NOT_FOUND, code(three.get(1)));
    assertEquals("c", name(three.get(2)));
  }

  @Test
  void shouldGoOnAfterABatchFailed() {
    RequestPacker packer = packer(LIMITS);
    CompletableFuture<MetaResponse> first = packer.add(mkdirs("a"));
    CompletableFuture<MetaResponse> second = packer.add(mkdirs("b"));
    answers.get(0).completeExceptionally(new IllegalStateException("planted"));
    assertEquals(ErrorCode.UNAVAILABLE, code(first));
    assertTrue(first.join().getError().getMessage().contains("planted"));
    answer(1);
    assertEquals("b", name(second));
  }

  @Test
  void shouldNotPassOnABatchThatWasAnsweredInPart() {
    RequestPacker packer = packer(LIMITS);
    CompletableFuture<MetaResponse> only = packer.add(mkdirs("a"));
    answers.get(0).complete(List.of());
    assertEquals(ErrorCode.INTERNAL, code(only));
  }

  @Test
  void shouldSurviveASenderThatThrowsOrAnswersAtOnce() {
    List<MetaResponse> done = new ArrayList<>();
    RequestPacker throwing =
        new RequestPacker(
            batch -> {
              throw new IllegalStateException("planted");
            },
            request -> 1,
            failure -> Errors.response(ErrorCode.INTERNAL, "failed"),
            LIMITS,
            Runnable::run);
    for (int i = 0; i < 100; i++) {
      done.add(throwing.add(mkdirs("a")).join());
    }
    assertTrue(done.stream().allMatch(MetaResponse::hasError));
  }

  @Test
  void shouldAnswerInTimeAndSkipWhatTimedOutBeforeItWasSent() {
    RequestPacker packer = packer(new RequestPacker.Limits(100, 4, 10, Duration.ofMillis(50)));
    CompletableFuture<MetaResponse> stuck = packer.add(mkdirs("stuck"));
    for (String path : List.of("b", "c", "d", "e")) {
      offer(packer, path);
    }
    CompletableFuture<MetaResponse> queued = packer.add(mkdirs("queued"));
    assertEquals(ErrorCode.UNAVAILABLE, code(stuck));
    assertEquals(ErrorCode.UNAVAILABLE, code(queued));
    TestGroup.await(
        "the packer to give up two batches",
        () -> {
          offer(packer, "next");
          return batches.size() > 2;
        });
    assertEquals("next", batches.get(2).get(0));
    answers.get(0).complete(named(List.of("stuck"))); // late: the answer is no longer waited for
  }

  /** As Ratis does with reads: the thread that brings the outcome holds what a request needs. */
  @Test
  void shouldNotSendOnTheThreadThatBringsAnOutcome() {
    Object lock = new Object();
    ExecutorService threads = Executors.newSingleThreadExecutor();
    ExecutorService takers = Executors.newSingleThreadExecutor();
    try {
      RequestPacker packer =
          new RequestPacker(
              batch -> sendBy(takers, batch, lock),
              request -> 1,
              failure -> Errors.response(ErrorCode.UNAVAILABLE, "failed"),
              LIMITS,
              threads);
      CompletableFuture<MetaResponse> first = packer.add(mkdirs("a"));
      TestGroup.await("the first batch", () -> answers.size() == 1);
      CompletableFuture<MetaResponse> second = packer.add(mkdirs("b"));
      synchronized (lock) {
        answer(0);
      }
      TestGroup.await("the second batch", () -> answers.size() == 2);
      answer(1);
      assertEquals("a", name(first));
      assertEquals("b", name(second));
    } finally {
      threads.shutdownNow();
      takers.shutdownNow();
    }
  }

  /** Sends on another thread, which needs {@code lock}, and waits for that as Ratis does. */
  private CompletableFuture<List<MetaResponse>> sendBy(
      Executor takers, List<MetaRequest> batch, Object lock) {
    CompletableFuture<List<MetaResponse>> outcome = new CompletableFuture<>();
    CompletableFuture.runAsync(
            () -> {
              synchronized (lock) {
                batches.add(batch.stream().map(request -> request.getMkdirs().getPath()).toList());
                answers.add(outcome);
              }
            },
            takers)
        .join();
    return outcome;
  }

  @Test
  void shouldRefuseAtOnceWhenTooManyWait() {
    RequestPacker packer = packer(LIMITS);
    offer(packer, "under way");
    for (int i = 0; i < 10; i++) {
      assertFalse(packer.add(mkdirs("waits")).isDone());
    }
    assertEquals(ErrorCode.UNAVAILABLE, code(packer.add(mkdirs("one too many"))));
  }
}
