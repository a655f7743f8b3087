package io.vdfs.client.meta;

import io.vdfs.client.ClusterSpace;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps a client's knowledge of its cluster. The first question goes to the node of the hint, else
 * to nodes that the finder names; later ones to some nodes already known, and to the finder again
 * where none of them answers. Knowledge is renewed when somebody uses it after its time, never in
 * the background.
 *
 * <p>Thread-safe: {@code known} is replaced under this object's lock, which is held while one
 * thread asks; others that need an answer wait for it.
 */
public final class ClusterView implements ClusterAccess {
  /** Each may take seconds to fail, while others wait for the answer. */
  private static final int MOST_KNOWN_ASKED = 8;

  private final NodeFinder finder;
  private final Optional<NodeHint> hint;
  private final ClusterInfoQuestion question;
  private final Duration maxAge;
  private final RetryClock clock;
  private volatile Known known;

  private record Known(ClusterSnapshot snapshot, long askedNanos) {}

  /**
   * @param maxAge after which knowledge is renewed when it is used
   */
  public ClusterView(
      NodeFinder finder,
      Optional<NodeHint> hint,
      ControlCalls calls,
      Duration maxAge,
      RetryClock clock) {
    this.finder = finder;
    this.hint = hint;
    this.question = new ClusterInfoQuestion(calls);
    this.maxAge = maxAge;
    this.clock = clock;
  }

  @Override
  public ClusterSnapshot current() throws IOException {
    Known seen = known;
    if (seen != null && clock.nanoTime() - seen.askedNanos < maxAge.toNanos()) {
      return seen.snapshot;
    }
    return refresh(seen == null ? null : seen.snapshot);
  }

  @Override
  public Optional<ClusterSnapshot> known() {
    return Optional.ofNullable(known).map(Known::snapshot);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // whether somebody asked since, not whether it changed
  public synchronized ClusterSnapshot refresh(ClusterSnapshot stale) throws IOException {
    Known before = known;
    if (before != null && before.snapshot != stale) {
      return before.snapshot;
    }
    Attempts attempts = new Attempts();
    ClusterSnapshot answer = ask(stale, attempts);
    if (answer == null) {
      if (before == null) {
        throw new VdfsException(
            ErrorCode.UNAVAILABLE,
            "no node of the cluster answers: looked in "
                + finder.describe()
                + ", "
                + attempts
                + "; check that the DataNodes run and the address is right",
            attempts.lastCause());
      }
      answer = before.snapshot;
    }
    known = new Known(answer, clock.nanoTime());
    return answer;
  }

  @Override
  public ClusterSpace space() throws IOException {
    ClusterSnapshot cluster = current();
    Attempts attempts = new Attempts();
    ClusterSpace sum = ClusterSpace.NONE;
    int answers = 0;
    for (NodeId node : cluster.live()) {
      ControlAddress address = cluster.address(node).orElse(null);
      if (address == null) {
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

  /** Null where no node answers. */
  private ClusterSnapshot ask(ClusterSnapshot before, Attempts attempts) throws IOException {
    Set<ControlAddress> asked = new LinkedHashSet<>();
    if (before == null && hint.isPresent()) {
      ClusterSnapshot answer = askHinted(hint.get(), attempts);
      if (answer != null) {
        return answer;
      }
    }
    if (before != null) {
      for (NodeId node : before.live().stream().limit(MOST_KNOWN_ASKED).toList()) {
        ClusterSnapshot answer =
            askOnce(before.address(node).orElse(null), before, asked, attempts);
        if (answer != null) {
          return answer;
        }
      }
    }
    for (ControlAddress address : found(attempts, before != null)) {
      ClusterSnapshot answer = askOnce(address, before, asked, attempts);
      if (answer != null) {
        return answer;
      }
    }
    return null;
  }

  /** Null where the hint leads nowhere, for whatever reason: it may be old. */
  private ClusterSnapshot askHinted(NodeHint hinted, Attempts attempts) throws IOException {
    String node = hinted.node().toString();
    try {
      ClusterSnapshot answer = question.ask(hinted.node(), null);
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

  private ClusterSnapshot askOnce(
      ControlAddress address, ClusterSnapshot before, Set<ControlAddress> asked, Attempts attempts)
      throws IOException {
    if (address == null || !asked.add(address)) {
      return null;
    }
    try {
      return question.ask(address, before);
    } catch (IOException e) {
      TransportErrors.rethrowFinal(e);
      attempts.failed(address.toString(), e);
      return null;
    }
  }

  private Iterable<ControlAddress> found(Attempts attempts, boolean knowsNodes) throws IOException {
    try {
      return finder.find();
    } catch (VdfsException e) {
      if (!knowsNodes) {
        throw e;
      }
      attempts.failed(finder.describe(), e);
    } catch (IOException e) {
      TransportErrors.rethrowFinal(e);
      attempts.failed(finder.describe(), e);
    }
    return Set.of();
  }
}
