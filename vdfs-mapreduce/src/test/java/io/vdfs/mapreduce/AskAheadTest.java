package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class AskAheadTest {
  private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(1);
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CountDownLatch answered = new CountDownLatch(1);
  private boolean fails;
  private boolean failsBadly;

  private final RunSource slow =
      new RunSource() {
        @Override
        public NextRunResult next(NextRunOp next) throws IOException {
          asked.countDown();
          try {
            answered.await();
          } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
          }
          if (fails) {
            throw new IOException("no leader");
          }
          if (failsBadly) {
            throw new OutOfMemoryError("no memory for the answer");
          }
          return NextRunResult.newBuilder().setPosition(next.getPosition()).build();
        }

        @Override
        public CloseTaskResult closeTask(CloseTaskOp close) {
          return CloseTaskResult.getDefaultInstance();
        }

        @Override
        public long remainingBlocks(ByteString streamId) {
          return 0;
        }
      };

  private final AskAhead ahead = new AskAhead(slow, executor);

  @AfterEach
  void stopExecutor() {
    answered.countDown();
    executor.shutdownNow();
  }

  @Test
  void shouldWaitForAQuestionThatIsUnderWay() throws Exception {
    ask(5);
    answerSoon();
    assertEquals(5, ahead.take(5).orElseThrow().getPosition());
    assertTrue(ahead.take(5).isEmpty(), "an answer is taken once");
  }

  @Test
  void shouldGiveNothingWhenTheQuestionFailed() throws Exception {
    fails = true;
    ask(5);
    answerSoon();
    assertEquals(Optional.empty(), ahead.take(5));
  }

  @Test
  void shouldNotWaitForEverWhenTheQuestionEndedWithAnError() throws Exception {
    failsBadly = true;
    ask(5);
    answerSoon();
    assertEquals(Optional.empty(), ahead.take(5));
  }

  @Test
  void shouldGiveNothingForAnotherPosition() throws Exception {
    ask(5);
    assertEquals(Optional.empty(), ahead.take(6));
  }

  @Test
  void shouldNotWaitWhenTheQuestionIsNotAskedYet() throws Exception {
    ahead.schedule(NextRunOp.newBuilder().setPosition(5).build(), Long.MAX_VALUE / 4);
    assertEquals(Optional.empty(), ahead.take(5));
    assertEquals(1, asked.getCount());
  }

  @Test
  void shouldEndTheWaitOfATaskThatIsInterrupted() throws Exception {
    ask(5);
    Thread.currentThread().interrupt();
    assertThrows(InterruptedIOException.class, () -> ahead.take(5));
    assertTrue(Thread.interrupted(), "the task is to see it");
    assertFalse(executor.isShutdown());
  }

  private void ask(int position) throws InterruptedException {
    ahead.schedule(NextRunOp.newBuilder().setPosition(position).build(), 0);
    asked.await();
  }

  private void answerSoon() {
    new Thread(answered::countDown).start();
  }
}
