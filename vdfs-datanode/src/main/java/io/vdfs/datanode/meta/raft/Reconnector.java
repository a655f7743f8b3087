package io.vdfs.datanode.meta.raft;

import io.vdfs.common.concurrent.DaemonThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.protocol.RaftPeerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a member that looks for a leader reach the others as soon as they are back. Thread-safe.
 *
 * <p>After each failed attempt to connect gRPC waits longer before the next one, up to two minutes.
 * Ratis cuts that wait short where a leader sends its log, but not where a candidate asks for
 * votes: a group whose other member has just come back could stay without a leader for all that
 * time. So connections are made anew when no leader was found for longer than a round of an
 * election takes; in an election that succeeds they are left alone.
 */
final class Reconnector implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Reconnector.class);

  private final GrpcServicesImpl rpc;
  private final Supplier<List<RaftPeerId>> others;
  private final BooleanSupplier leaderless;
  private boolean leaderlessBefore; // confined to the timer
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("vdfs-reconnect"));

  private Reconnector(
      GrpcServicesImpl rpc, Supplier<List<RaftPeerId>> others, BooleanSupplier leaderless) {
    this.rpc = rpc;
    this.others = others;
    this.leaderless = leaderless;
  }

  /**
   * Starts to look after the connections.
   *
   * @param others the members to reach, as Raft has them now
   * @param leaderless whether no leader is known now
   * @param period between looks; no leader at two of them means new connections
   */
  static Reconnector start(
      GrpcServicesImpl rpc,
      Supplier<List<RaftPeerId>> others,
      BooleanSupplier leaderless,
      Duration period) {
    Reconnector reconnector = new Reconnector(rpc, others, leaderless);
    var unused =
        reconnector.timer.scheduleWithFixedDelay(
            reconnector::look, period.toMillis(), period.toMillis(), TimeUnit.MILLISECONDS);
    return reconnector;
  }

  private void look() {
    boolean longer = leaderlessBefore;
    leaderlessBefore = leaderless.getAsBoolean();
    if (leaderlessBefore && longer) {
      leaderlessBefore = false;
      others.get().forEach(this::connectAnew);
    }
  }

  private void connectAnew(RaftPeerId peer) {
    try {
      rpc.getProxies().resetProxy(peer);
    } catch (RuntimeException e) {
      LOG.warn("connection not made anew: peer={}, error={}", peer, e.toString());
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
