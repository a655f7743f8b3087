package io.vdfs.client.meta.cluster;

import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.client.meta.finder.ClusterSources;
import io.vdfs.client.meta.finder.NodeFinder;
import io.vdfs.client.meta.finder.NodeHint;
import io.vdfs.client.meta.retry.Attempts;
import io.vdfs.client.meta.retry.RetryClock;
import io.vdfs.client.meta.retry.TransportErrors;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Keeps a client's knowledge of its cluster. The first question goes to the node of the hint, else
 * to nodes that a finder names; later ones to some nodes already known, the one that answered last
 * before the others, and to the finders again where none of them answers. Knowledge is renewed when
 * it is used after its time, never in the background.
 *
 * <p>One thread asks at a time, and threads that need an answer meanwhile share its result, even a
 * failure. A question that was begun in time is waited for, so a limit may be exceeded by what one
 * call may take.
 *
 * <p>Thread-safe: {@code known} is replaced, and {@code running} guarded, under this object's lock,
 * which is held for short steps only.
 */
public final class ClusterView implements ClusterAccess {
  /** Each node may take seconds to fail, while callers wait for the answer. */
  private static final int MOST_KNOWN_ASKED = 8;

  private static final Comparator<Boolean> TRUE_FIRST = Comparator.reverseOrder();

  private final ClusterSources sources;
  private final ClusterInfoQuestion question;
  private final Duration maxAge;
  private final Duration limit;
  private final RetryClock clock;
  private volatile Known known;
  private volatile ControlAddress answeredLast;

  /** The result of the thread that asks; null while none does. */
  private CompletableFuture<ClusterDescription> running;

  private record Known(ClusterDescription snapshot, long askedNanos) {}

  /**
   * @param maxAge after which knowledge is renewed when it is used
   * @param limit of asking for callers that give none
   */
  public ClusterView(
      ClusterSources sources,
      ControlCalls calls,
      Duration maxAge,
      Duration limit,
      RetryClock clock) {
    this.sources = sources;
    this.question = new ClusterInfoQuestion(calls, sources.name());
    this.maxAge = maxAge;
    this.limit = limit;
    this.clock = clock;
  }

  @Override
  public ClusterDescription current() throws IOException {
    return current(limit);
  }

  @Override
  public ClusterDescription current(Duration within) throws IOException {
    Known seen = known;
    if (seen != null && clock.nanoTime() - seen.askedNanos < maxAge.toNanos()) {
      return seen.snapshot;
    }
    return refresh(seen == null ? null : seen.snapshot, within);
  }

  @Override
  public Optional<ClusterDescription> known() {
    return Optional.ofNullable(known).map(Known::snapshot);
  }

  @Override
  public ClusterDescription refresh(ClusterDescription stale) throws IOException {
    return refresh(stale, limit);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // whether a thread asked since, not whether it changed
  public ClusterDescription refresh(ClusterDescription stale, Duration within) throws IOException {
    long deadline = clock.nanoTime() + within.toNanos();
    while (true) {
      CompletableFuture<ClusterDescription> look;
      boolean mine;
      synchronized (this) {
        if (known != null && known.snapshot != stale) {
          return known.snapshot;
        }
        mine = running == null;
        if (mine) {
          running = new CompletableFuture<>();
        }
        look = running;
      }
      if (mine) {
        return look(look, stale, stale == null ? deadline : deadline - within.toNanos() / 2);
      }
      Optional<ClusterDescription> shared = shared(look, deadline);
      if (shared.isPresent()) {
        return shared.get();
      }
    }
  }

  /** Asks, and shares the result, except for an interruption, which is this thread's own. */
  private ClusterDescription look(
      CompletableFuture<ClusterDescription> outcome, ClusterDescription before, long deadline)
      throws IOException {
    ClusterDescription answer = null;
    VdfsException failure = null;
    try {
      answer = askedFor(before, deadline);
      return answer;
    } catch (VdfsException e) {
      failure = e;
      throw e;
    } finally {
      synchronized (this) {
        running = null;
        if (answer != null) {
          known = new Known(answer, clock.nanoTime());
        }
      }
      if (answer != null) {
        outcome.complete(answer);
      } else if (failure != null) {
        outcome.completeExceptionally(failure);
      } else {
        outcome.cancel(false);
      }
    }
  }

  /** Empty where the thread that asked was interrupted, so that another one has to. */
  private Optional<ClusterDescription> shared(
      CompletableFuture<ClusterDescription> outcome, long deadline) throws IOException {
    try {
      return Optional.of(
          outcome.get(Math.max(0, deadline - clock.nanoTime()), TimeUnit.NANOSECONDS));
    } catch (CancellationException e) {
      return Optional.empty();
    } catch (ExecutionException e) {
      VdfsException failure = (VdfsException) e.getCause();
      throw new VdfsException(failure.code(), failure.getMessage(), failure);
    } catch (TimeoutException e) {
      return Optional.of(known().orElseThrow(() -> noAnswer(new Attempts())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw TransportErrors.interrupted(e);
    }
  }

  private ClusterDescription askedFor(ClusterDescription before, long deadline) throws IOException {
    Attempts attempts = new Attempts();
    ClusterDescription answer = ask(before, attempts, deadline);
    if (answer != null) {
      return answer;
    }
    if (before == null) {
      throw noAnswer(attempts);
    }
    return before;
  }

  private VdfsException noAnswer(Attempts attempts) {
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        ("no node of the cluster answers: looked in %s, %s; check that the DataNodes run"
                + " and the address is right")
            .formatted(sources.describe(), attempts),
        attempts.lastCause());
  }

  @Override
  public ClusterSpace space() throws IOException {
    ClusterDescription cluster = current();
    Attempts attempts = new Attempts();
    ClusterSpace sum = ClusterSpace.NONE;
    int answers = 0;
    long deadline = clock.nanoTime() + limit.toNanos();
    for (NodeId node : cluster.live()) {
      ControlAddress address = cluster.address(node).orElse(null);
      if (address == null || isOver(deadline)) {
        continue;
      }
      try {
        sum = sum.plus(question.space(address, cluster.ring().epoch()));
        answers++;
      } catch (IOException e) {
        TransportErrors.rethrowFinal(e);
        attempts.failed(address.toString(), e);
      }
    }
    if (answers == 0) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "no node tells the room on its volumes: " + attempts,
          attempts.lastCause());
    }
    return sum;
  }

  private boolean isOver(long deadline) {
    return deadline - clock.nanoTime() <= 0;
  }

  /** Null where no node answers in time. */
  private ClusterDescription ask(ClusterDescription before, Attempts attempts, long deadline)
      throws IOException {
    if (before == null && sources.hint().isPresent()) {
      ClusterDescription answer = askHinted(sources.hint().get(), attempts);
      if (answer != null) {
        return answer;
      }
    }
    Set<ControlAddress> asked = new LinkedHashSet<>();
    ClusterDescription answer = askEach(knownNodes(before), before, asked, attempts, deadline);
    for (NodeFinder finder : sources.finders()) {
      if (answer != null || isOver(deadline)) {
        return answer;
      }
      Iterable<ControlAddress> found = found(finder, attempts, before != null);
      answer = askEach(found, before, asked, attempts, deadline);
    }
    return answer;
  }

  private List<ControlAddress> knownNodes(ClusterDescription before) {
    if (before == null) {
      return List.of();
    }
    return before.live().stream()
        .map(before::address)
        .flatMap(Optional::stream)
        .sorted(Comparator.comparing(address -> address.equals(answeredLast), TRUE_FIRST))
        .limit(MOST_KNOWN_ASKED)
        .toList();
  }

  private ClusterDescription askEach(
      Iterable<ControlAddress> addresses,
      ClusterDescription before,
      Set<ControlAddress> asked,
      Attempts attempts,
      long deadline)
      throws IOException {
    for (ControlAddress address : addresses) {
      if (isOver(deadline)) {
        return null;
      }
      ClusterDescription answer = asked.add(address) ? askOnce(address, before, attempts) : null;
      if (answer != null) {
        answeredLast = address;
        return answer;
      }
    }
    return null;
  }

  /** Null where the hint leads nowhere, for whatever reason: it may be old. */
  private ClusterDescription askHinted(NodeHint hinted, Attempts attempts) throws IOException {
    String node = hinted.node().toString();
    try {
      ClusterDescription answer = question.ask(hinted.node(), null);
      if (answer.properties().clusterId().equals(hinted.clusterId())) {
        return answer;
      }
      attempts.failed(node, "of another cluster");
    } catch (IOException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw TransportErrors.interrupted(e);
      }
      attempts.failed(node, e);
    }
    return null;
  }

  private ClusterDescription askOnce(
      ControlAddress address, ClusterDescription before, Attempts attempts) throws IOException {
    try {
      return question.ask(address, before);
    } catch (IOException e) {
      TransportErrors.rethrowFinal(e);
      attempts.failed(address.toString(), e);
      return null;
    }
  }

  private static Iterable<ControlAddress> found(
      NodeFinder finder, Attempts attempts, boolean knowsNodes) throws IOException {
    try {
      return finder.find();
    } catch (VdfsException e) {
      if (!knowsNodes) {
        throw attempts.isEmpty()
            ? e
            : new VdfsException(
                e.code(), e.getMessage() + "; before that no node answered: " + attempts, e);
      }
      attempts.failed(finder.describe(), e);
    } catch (IOException e) {
      TransportErrors.rethrowFinal(e);
      attempts.failed(finder.describe(), e);
    }
    return Set.of();
  }
}
