package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.ledger.BlockTotals;
import io.vdfs.client.ledger.ListEnd;
import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.StreamId;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
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
        public RunAnswer next(RunQuestion question) throws IOException {
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
          ListEnd end = new ListEnd(0, BlockTotals.NONE, BlockTotals.NONE, false);
          return new RunAnswer(question.position(), List.of(), Optional.of(end), 0, 0, false);
        }

        @Override
        public boolean closeTask(StreamTask task) {
          return false;
        }

        @Override
        public long remainingBlocks(StreamId stream) {
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
    assertEquals(5, ahead.take(5).orElseThrow().position());
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
    ahead.schedule(question(5), Long.MAX_VALUE / 4);
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
    ahead.schedule(question(position), 0);
    asked.await();
  }

  private static RunQuestion question(int position) {
    return RunQuestion.oneBlock(new StreamTask(new StreamId(1, 1), 0), position);
  }

  private void answerSoon() {
    new Thread(answered::countDown).start();
  }
}
