package io.vdfs.datanode.membership;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterListener;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's membership in its cluster: keeps its record in ZooKeeper, over lost sessions too, and
 * stands for election as controller, which founds the cluster.
 *
 * <p>The state of the cluster is read from the {@link ClusterDirectory}: {@code ringMap()}, {@code
 * liveNodes()}, and {@code metadataGroup()}, by which each node learns whether it is an initial
 * member of the metadata group.
 *
 * <p>Thread-safe. One thread owns registration and controller; Curator's threads only hand it work.
 */
public final class Membership implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Membership.class);
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final Set<ErrorCode> FATAL = Set.of(ErrorCode.ALREADY_EXISTS, ErrorCode.FENCED);

  private final ClusterDirectory directory;
  private final LiveNode self;
  private final Consumer<VdfsException> onFatal;
  private final NodeRegistration registration;
  private final RingController controller;
  private final LeaderLatch election;
  private final ScheduledThreadPoolExecutor thread;
  private final ClusterListener clusterListener;
  private final ConnectionStateListener connectionListener;
  // confined to the thread; null unless something is to be tried again
  private ScheduledFuture<?> retry;

  private Membership(ClusterDirectory directory, LiveNode self, Consumer<VdfsException> onFatal) {
    this.directory = directory;
    this.self = self;
    this.onFatal = onFatal;
    this.registration = new NodeRegistration(directory, self);
    this.controller = new RingController(directory);
    this.election =
        new LeaderLatch(directory.curator(), directory.paths().controller(), self.id().toString());
    this.thread = newThread();
    this.clusterListener = snapshot -> thread.execute(this::onChange);
    this.connectionListener =
        (curator, state) -> {
          if (state == ConnectionState.RECONNECTED) {
            thread.execute(this::renew);
          }
        };
  }

  /**
   * Publishes the node and stands for election. Where a process that died under the same node id
   * still has a session, takes its place at once if it ran on this machine and no process listens
   * at its ports; otherwise waits for the session's end.
   *
   * @param directory stays the caller's; close the membership first
   * @param node what to publish, with the ports actually bound; the caller holds the locks of the
   *     node's volumes
   * @param knowsFoundation whether this node has seen the cluster founded before
   * @param started later than that of each earlier process of the node
   * @param onFatal called at most once, on the membership's thread, when this process must stop
   *     serving: another one runs with its id (ALREADY_EXISTS), or the cluster was formatted anew
   *     (FENCED). The candidature is withdrawn by then. It must return soon and leave closing to
   *     another thread
   * @throws VdfsException ALREADY_EXISTS if another live process has this node id; UNAVAILABLE if
   *     ZooKeeper fails
   */
  public static Membership start(
      ClusterDirectory directory,
      RingNode node,
      boolean knowsFoundation,
      Instant started,
      Consumer<VdfsException> onFatal)
      throws VdfsException {
    LiveNode self =
        new LiveNode(
            node, UUID.randomUUID(), started, negotiatedTimeout(directory), knowsFoundation);
    Membership membership = new Membership(directory, self, onFatal);
    try {
      membership.registration.register();
      membership.run();
      return membership;
    } catch (VdfsException e) {
      membership.close();
      throw e;
    }
  }

  private static Duration negotiatedTimeout(ClusterDirectory directory) throws VdfsException {
    try {
      return Duration.ofMillis(
          directory.curator().getZookeeperClient().getZooKeeper().getSessionTimeout());
    } catch (Exception e) {
      throw directory.failure("ask for the session timeout", e);
    }
  }

  private static ScheduledThreadPoolExecutor newThread() {
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            DaemonThreads.named("vdfs-membership"),
            // events that arrive during close
            new ThreadPoolExecutor.DiscardPolicy());
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    return executor;
  }

  private void run() throws VdfsException {
    directory.curator().getConnectionStateListenable().addListener(connectionListener);
    directory.addListener(clusterListener);
    election.addListener(new Election());
    try {
      election.start();
    } catch (Exception e) {
      throw directory.failure("stand for election", e);
    }
  }

  /** What this process publishes. */
  public LiveNode self() {
    return self;
  }

  /** Whether this node is the elected controller, as far as it knows. */
  public boolean isController() {
    return election.hasLeadership();
  }

  private void onChange() {
    ClusterSnapshot snapshot = directory.snapshot();
    if (!self.equals(snapshot.liveNodes().get(self.id()))) {
      renew();
    }
    control();
  }

  private void renew() {
    if (thread.isShutdown()) {
      return;
    }
    try {
      registration.renew();
    } catch (VdfsException e) {
      if (FATAL.contains(e.code())) {
        LOG.error("This node must stop: {}", e.getMessage());
        thread.shutdown();
        resign();
        onFatal.accept(e);
      } else {
        tryLater(e);
      }
    } catch (Exception e) {
      tryLater(directory.failure("renew the record of this node", e));
    }
  }

  private void control() {
    if (thread.isShutdown() || !isController()) {
      return;
    }
    try {
      controller.onChange(directory.snapshot());
    } catch (Exception e) {
      tryLater(directory.failure("control the ring", e));
    }
  }

  private void tryLater(VdfsException cause) {
    if (thread.isShutdown()) {
      return;
    }
    LOG.warn("Trying again in {} ms: {}", RETRY.toMillis(), cause.getMessage());
    if (retry == null) {
      retry =
          thread.schedule(
              () -> {
                retry = null;
                renew();
                control();
              },
              RETRY.toMillis(),
              TimeUnit.MILLISECONDS);
    }
  }

  /** Leaves: the record and the candidature are withdrawn. Idempotent. */
  @Override
  public void close() {
    directory.removeListener(clusterListener);
    directory.curator().getConnectionStateListenable().removeListener(connectionListener);
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("The membership's thread does not end: node={}", self.id());
      }
      resign();
      registration.withdraw();
    } catch (Exception e) {
      LOG.warn(
          "Left without withdrawing; the session's end will do: {}",
          directory.failure("withdraw", e).getMessage());
    }
  }

  private void resign() {
    try {
      if (election.getState() == LeaderLatch.State.STARTED) {
        election.close();
      }
    } catch (IOException e) {
      LOG.warn("Left without resigning; the session's end will do: {}", e.getMessage());
    }
  }

  private final class Election implements LeaderLatchListener {
    @Override
    public void isLeader() {
      LOG.info("This node is the controller: node={}", self.id());
      thread.execute(Membership.this::control);
    }

    @Override
    public void notLeader() {
      LOG.info("This node is no longer the controller: node={}", self.id());
    }
  }
}
