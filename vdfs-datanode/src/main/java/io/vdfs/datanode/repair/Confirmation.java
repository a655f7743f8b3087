package io.vdfs.datanode.repair;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * That this node holds all that it is listed for, said again and again, as the leader forgets it
 * and others take its place. Confined to the loop.
 */
final class Confirmation {
  private static final Duration PERIOD = Duration.ofSeconds(60);
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final MetadataCalls calls;
  private final Executor loop;
  private Optional<Found> found = Optional.empty();
  private boolean sending;
  private long due;

  /** What a clean audit went by. */
  record Found(long ringEpoch, long sequence) {}

  Confirmation(MetadataCalls calls, Executor loop) {
    this.calls = calls;
    this.loop = loop;
  }

  void onClean(Found audit, long now) {
    found = Optional.of(audit);
    due = now;
  }

  /** It may not be so any more. */
  void withdraw() {
    found = Optional.empty();
  }

  void onRingSeen(long epoch) {
    if (found.isPresent() && found.get().ringEpoch() < epoch) {
      withdraw();
    }
  }

  void sendIfDue(long now) {
    if (found.isEmpty() || sending || due - now > 0) {
      return;
    }
    sending = true;
    var unused =
        calls
            .confirm(found.get().ringEpoch(), found.get().sequence())
            .whenCompleteAsync(
                (done, failure) -> {
                  sending = false;
                  due = now + (failure == null ? PERIOD : RETRY).toNanos();
                },
                loop);
  }
}
