package io.vdfs.datanode.repair;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Tells the leader that this node holds all that it is listed for, again and again, as a leader
 * forgets it and another one takes its place; and, once that is no longer so, withdraws it until
 * the leader has heard of it, as other nodes lose their places by what was said last. After a
 * withdrawal nothing counts that was said before, by an earlier process too, even if it arrives
 * later. Confined to the loop.
 */
final class Confirmation {
  private static final Duration PERIOD = Duration.ofSeconds(60);
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final RepairCalls calls;
  private final Executor loop;
  private Optional<Found> found = Optional.empty();

  /**
   * The series that the leader knows; empty until it has heard the withdrawal of what was said
   * before.
   */
  private OptionalLong series = OptionalLong.empty();

  private long withdrawals;
  private boolean sending;
  private long due;

  /** The ring map and the changes that a clean audit was based on. */
  record Found(long ringEpoch, long sequence) {}

  /**
   * @param now by the loop's clock
   */
  Confirmation(RepairCalls calls, Executor loop, long now) {
    this.calls = calls;
    this.loop = loop;
    this.due = now;
  }

  void onClean(Found audit, long now) {
    found = Optional.of(audit);
    due = now;
  }

  /** This node may no longer hold all that it is listed for. */
  void withdraw(long now) {
    found = Optional.empty();
    forgetSeries();
    due = now;
    sendIfDue(now);
  }

  private void forgetSeries() {
    series = OptionalLong.empty();
    withdrawals++;
  }

  /** A confirmation by an older map counts for nothing. */
  void onRingSeen(long epoch) {
    if (found.isPresent() && found.get().ringEpoch() < epoch) {
      found = Optional.empty();
    }
  }

  void sendIfDue(long now) {
    if (sending || due - now > 0) {
      return;
    }
    if (series.isEmpty()) {
      begin(now);
    } else if (found.isPresent()) {
      confirm(series.getAsLong(), found.get(), now);
    }
  }

  private void begin(long now) {
    long before = withdrawals;
    var unused =
        send(calls.beginConfirmations(), now)
            .thenAcceptAsync(
                begun -> {
                  if (withdrawals == before) {
                    series = OptionalLong.of(begun);
                    due = now;
                    sendIfDue(now);
                  }
                },
                loop);
  }

  private void confirm(long inSeries, Found said, long now) {
    long before = withdrawals;
    var unused =
        send(calls.confirm(inSeries, said.ringEpoch(), said.sequence()), now)
            .thenAcceptAsync(
                counts -> {
                  if (counts && found.filter(said::equals).isPresent()) {
                    due = now + PERIOD.toNanos();
                  } else if (!counts && withdrawals == before) {
                    forgetSeries();
                  }
                },
                loop);
  }

  private <T> CompletableFuture<T> send(CompletableFuture<T> call, long now) {
    sending = true;
    due = now + RETRY.toNanos();
    return call.whenCompleteAsync((done, failure) -> sending = false, loop);
  }
}
