package io.vdfs.datanode.repair;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * That this node holds all that it is listed for, said again and again, as the leader forgets it
 * and others take its place; and that it is not so any more, until the leader has heard it: places
 * are taken from other nodes by what was said last. Confined to the loop.
 */
final class Confirmation {
  private static final Duration PERIOD = Duration.ofSeconds(60);
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final MetadataCalls calls;
  private final Executor loop;
  private Optional<Found> found = Optional.empty();
  private boolean withdrawn = true; // what an earlier process said
  private boolean sending;
  private long due;

  /** What a clean audit went by. */
  record Found(long ringEpoch, long sequence) {}

  /**
   * @param now by the loop's clock
   */
  Confirmation(MetadataCalls calls, Executor loop, long now) {
    this.calls = calls;
    this.loop = loop;
    this.due = now;
  }

  void onClean(Found audit, long now) {
    found = Optional.of(audit);
    withdrawn = false;
    due = now;
  }

  /** It may not be so any more. */
  void withdraw(long now) {
    found = Optional.empty();
    withdrawn = true;
    due = now;
    sendIfDue(now);
  }

  /** What was said by an older map counts for nothing. */
  void onRingSeen(long epoch) {
    if (found.isPresent() && found.get().ringEpoch() < epoch) {
      found = Optional.empty();
    }
  }

  void sendIfDue(long now) {
    if ((found.isEmpty() && !withdrawn) || sending || due - now > 0) {
      return;
    }
    sending = true;
    due = now + RETRY.toNanos();
    Optional<Found> said = found;
    var unused =
        said.map(audit -> calls.confirm(audit.ringEpoch(), audit.sequence()))
            .orElseGet(calls::withdrawConfirmation)
            .whenCompleteAsync(
                (done, failure) -> {
                  sending = false;
                  if (failure == null && said.equals(found)) {
                    withdrawn = false;
                    due = now + PERIOD.toNanos();
                  }
                },
                loop);
  }
}
