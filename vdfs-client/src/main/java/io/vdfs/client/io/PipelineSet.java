package io.vdfs.client.io;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.DataNodeAddress;
import io.vdfs.common.wire.proto.LeaseBoundProto;
import io.vdfs.common.wire.proto.WriteOpen;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The pipelines of one writer: at most the group being written and the one before it, which is
 * still being closed. Keeps the window, and recovers from failures. Confined to its writer, but for
 * {@link #abort}.
 *
 * <p>Recovery: all pipelines are given up; the culprits are recorded with the metadata service,
 * which begins a new write epoch; then each unfinished group is opened at its last acknowledged
 * chunk boundary on the nodes left, and what was not acknowledged is sent again. Nothing is
 * acknowledged meanwhile, so nothing ever counts as acknowledged without a node that is not
 * recorded as left out. Where leaving a node out would make it impossible to close the file, the
 * same nodes are tried again for a while first.
 */
final class PipelineSet {
  private static final int MAX_OPEN_GROUPS = 2;

  private final ClientIo io;
  private final FileKey file;
  private final int replication;
  private final WriteCoordinator coordinator;
  private final PacketBuilder builder;
  private final ExcludedNodes excluded;
  private final LeaseBoundProto lease;
  private final Deque<GroupSession> sessions = new ArrayDeque<>();
  private final NavigableMap<Integer, List<NodeId>> synced = new TreeMap<>();
  private final BlockingQueue<PipelineEvent> mailbox = new LinkedBlockingQueue<>();
  private int writeEpoch;
  private long flushedEnd;
  private boolean fenced;

  /** When the nodes that cannot be spared were first tried again, since the last progress. */
  private OptionalLong triesSince = OptionalLong.empty();

  /** The packet in hand begins where the last group must resume. */
  private boolean bytesFollow;

  /**
   * @param builder keeps the partial chunk that a recovery may have to send again
   */
  PipelineSet(ClientIo io, FileView view, WriteCoordinator coordinator, PacketBuilder builder) {
    this.io = io;
    this.file = view.file();
    this.replication = view.replication();
    this.coordinator = coordinator;
    this.builder = builder;
    this.excluded = new ExcludedNodes(view);
    this.lease = WireIds.encode(view.lease());
    this.writeEpoch = view.writeEpoch();
    this.flushedEnd = view.length();
  }

  int writeEpoch() {
    return writeEpoch;
  }

  /** Nodes that fsynced each finished group. */
  Map<Integer, List<NodeId>> synced() {
    return synced;
  }

  /** Whether packets of {@code group} went out and its last one did not. */
  boolean isUnfinished(int group) {
    return sessions.stream().anyMatch(s -> s.group() == group && !s.isFinished());
  }

  /**
   * Sends a packet of {@code group}, opening its pipeline first where need be. Blocks while the
   * window is full.
   *
   * @param start end of the bytes the file has already, for a group that is not open
   * @param packet taken over, also in failure
   */
  void send(int group, long start, Packet packet) throws IOException {
    GroupSession session;
    bytesFollow = packet.size() > 0;
    try {
      session = sessionFor(group, start);
      awaitRoom(packet.size());
    } catch (IOException | RuntimeException e) {
      packet.release();
      throw e;
    }
    session.send(packet, io.nanoTime());
    bytesFollow = false;
  }

  /** Waits until everything sent is acknowledged. */
  void awaitAcknowledged() throws IOException {
    while (sessions.stream().anyMatch(session -> !session.isIdle())) {
      awaitProgress();
    }
  }

  /**
   * Waits until every group that was written lies on as many nodes as closing asks for; they may
   * become fewer when the ring gives up a node.
   *
   * @throws VdfsException UNAVAILABLE or NO_SPACE naming the nodes left out, if that takes too long
   */
  void awaitEnoughNodes() throws IOException {
    long begun = io.nanoTime();
    while (fewestNodes() < nodesNeeded()) {
      if (hasPassed(begun, io.settings().nodesWait())) {
        throw excluded.tooFew(
            "too few nodes hold the file's last bytes: file="
                + file
                + ", nodes="
                + fewestNodes()
                + ", needed="
                + nodesNeeded());
      }
      pause();
    }
  }

  /** Wakes the owner, which then fails. For other threads. */
  void abort() {
    mailbox.add(new PipelineEvent.Aborted());
  }

  /** Gives all pipelines up and lets the packets go. */
  void release() {
    sessions.forEach(GroupSession::release);
    sessions.clear();
  }

  private GroupSession sessionFor(int group, long start) throws IOException {
    for (GroupSession session : sessions) {
      if (session.group() == group) {
        return session;
      }
    }
    while (sessions.size() >= MAX_OPEN_GROUPS) {
      awaitProgress();
    }
    GroupSession session = new GroupSession(group, start);
    sessions.addLast(session);
    settle();
    return session;
  }

  private void awaitRoom(int size) throws IOException {
    drain();
    while (windowBytes() > 0 && windowBytes() + size > io.settings().windowBytes()) {
      awaitProgress();
    }
    if (excluded.hasSuspects()) {
      settle();
    }
  }

  private long windowBytes() {
    return sessions.stream().mapToLong(GroupSession::unacknowledgedBytes).sum();
  }

  private void awaitProgress() throws IOException {
    awaitEvent(untilNextDeadline());
    if (excluded.hasSuspects()) {
      settle();
    }
  }

  /** Brings every session to a working pipeline, or throws. */
  private void settle() throws IOException {
    suspectDownNodes();
    do {
      if (excluded.hasSuspects()) {
        sessions.forEach(GroupSession::close);
        beginEpoch();
      }
    } while (!openAll());
  }

  private void suspectDownNodes() {
    for (GroupSession session : sessions) {
      if (session.state() == GroupSession.State.CLOSED) {
        List<ReplicaNode> nodes = candidates(session.group());
        long live = nodes.stream().filter(ReplicaNode::live).count();
        if (live >= nodesNeeded()) {
          nodes.stream()
              .filter(node -> !node.live())
              .forEach(node -> excluded.suspect(node, "known to be down"));
        }
      }
    }
  }

  private void beginEpoch() throws IOException {
    failIfFenced();
    if (wouldLeaveTooFew(excluded.suspects()) && mayTryAgain()) {
      excluded.clearSuspects();
      pause();
    }
    Set<NodeId> leaveOut = excluded.suspects();
    GroupSession first = sessions.getFirst();
    writeEpoch =
        coordinator.changePipeline(file, writeEpoch, first.group(), leaveOut, flushedEnd(first));
    io.counters().increment(IoCounter.PIPELINE_CHANGES);
    io.counters().add(IoCounter.NODES_EXCLUDED, leaveOut.size());
    leaveOut.forEach(io.health()::failed);
    excluded.excludeSuspects();
    synced.tailMap(first.group(), true).replaceAll((group, nodes) -> without(nodes, leaveOut));
  }

  /** A later group that was finished first does not count on a node that is now left out of it. */
  private static List<NodeId> without(List<NodeId> nodes, Set<NodeId> leaveOut) {
    return nodes.stream().filter(node -> !leaveOut.contains(node)).toList();
  }

  private long flushedEnd(GroupSession first) {
    return Math.max(flushedEnd, first.flushedEnd());
  }

  /** The same nodes get a limited time without progress, however often they seem to recover. */
  private boolean mayTryAgain() {
    if (triesSince.isEmpty()) {
      triesSince = OptionalLong.of(io.nanoTime());
    }
    return !hasPassed(triesSince.getAsLong(), io.settings().nodesWait());
  }

  private boolean wouldLeaveTooFew(Set<NodeId> leaveOut) {
    return sessions.stream()
        .map(session -> new HashSet<>(ids(candidates(session.group()))))
        .anyMatch(
            left -> {
              left.removeAll(leaveOut);
              return left.size() < nodesNeeded();
            });
  }

  private void failIfFenced() throws VdfsException {
    if (fenced) {
      throw new VdfsException(
          ErrorCode.FENCED,
          "another writer or a recovery took the file over: file="
              + file
              + ", writeEpoch="
              + writeEpoch
              + ", refusedBy="
              + excluded);
    }
  }

  /** Opens what is closed; false if something failed meanwhile, who is then suspected. */
  private boolean openAll() throws IOException {
    // a session may come to its end, and leave the set, while another one is opened
    for (GroupSession session : List.copyOf(sessions)) {
      if (session.state() == GroupSession.State.CLOSED) {
        open(session);
        while (session.state() == GroupSession.State.OPENING && !excluded.hasSuspects()) {
          awaitEvent(untilNextDeadline());
        }
      }
      if (excluded.hasSuspects()) {
        return false;
      }
    }
    return true;
  }

  private void open(GroupSession session) throws VdfsException {
    List<ReplicaNode> nodes = candidates(session.group());
    if (nodes.isEmpty()) {
      throw excluded.tooFew(
          "no node is left to write to: file=" + file + ", group=" + session.group());
    }
    long groupStart = session.group() * io.geometry().groupSize();
    long resumeAt = session.acknowledgedEnd();
    resumeAt -= resumeAt % io.geometry().chunkSize();
    if (resumeAt < session.acknowledgedEnd() && !session.hasQueuedBytes() && !bytesFollow) {
      session.queueFirst(builder.tail(session.acknowledgedEnd()));
    }
    io.counters().increment(IoCounter.PIPELINES_OPENED);
    WriteOpen request = request(session.group(), Math.max(groupStart, resumeAt), nodes);
    session.onOpening(
        WritePipeline.open(io, nodes.get(0), request, mailbox::add), nodes, io.nanoTime());
  }

  private WriteOpen request(int group, long startOffset, List<ReplicaNode> nodes) {
    WriteOpen.Builder request =
        WriteOpen.newBuilder()
            .setFile(WireIds.encode(file))
            .setGroup(group)
            .setWriteEpoch(writeEpoch)
            .setStartOffset(startOffset)
            .setLease(lease)
            .setPrimary(nodes.get(0).id().equals(io.placement().replicas(file, group).get(0).id()))
            .setRingEpoch(io.placement().ringEpoch())
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(nodes.get(0).id()));
    for (ReplicaNode node : nodes.subList(1, nodes.size())) {
      request.addDownstream(
          DataNodeAddress.newBuilder()
              .setNode(WireIds.encode(node.id()))
              .setHost(node.address().host())
              .setPort(node.address().port()));
    }
    return request.build();
  }

  private List<ReplicaNode> candidates(int group) {
    return io.placement().replicas(file, group).stream()
        .filter(node -> !excluded.covers(node.id(), group))
        .toList();
  }

  private int nodesNeeded() {
    return Math.min(Math.min(2, replication), io.placement().replication());
  }

  private int fewestNodes() {
    int fewest = Integer.MAX_VALUE;
    for (List<NodeId> nodes : synced.values()) {
      fewest = Math.min(fewest, nodes.size());
    }
    for (GroupSession session : sessions) {
      fewest = Math.min(fewest, session.nodes().size());
    }
    return fewest;
  }

  private void drain() throws IOException {
    for (PipelineEvent event = mailbox.poll(); event != null; event = mailbox.poll()) {
      onEvent(event);
    }
  }

  /** Takes the events that are there, or waits for one; then looks for overdue answers. */
  private void awaitEvent(long limitNanos) throws IOException {
    try {
      PipelineEvent event = mailbox.poll(Math.max(0, limitNanos), TimeUnit.NANOSECONDS);
      if (event != null) {
        onEvent(event);
        drain();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      InterruptedIOException interrupted =
          new InterruptedIOException("interrupted while writing: file=" + file);
      interrupted.initCause(e);
      throw interrupted;
    }
    suspectOverdue();
  }

  private void pause() throws IOException {
    awaitEvent(io.settings().retryDelay().toNanos());
  }

  private void onEvent(PipelineEvent event) throws IOException {
    if (event instanceof PipelineEvent.Aborted) {
      throw new VdfsException(ErrorCode.UNAVAILABLE, "the writer was aborted: file=" + file);
    }
    for (GroupSession session : sessions) {
      if (session.owns(event.pipeline())) {
        onEvent(session, event);
        break;
      }
    }
    sessions.removeIf(this::settleDone);
  }

  private void onEvent(GroupSession session, PipelineEvent event) {
    if (event instanceof PipelineEvent.Ready) {
      session.onReady(io.nanoTime());
    } else if (event instanceof PipelineEvent.Acknowledged ack) {
      onAcknowledged(session, ack.sequence());
    } else if (event instanceof PipelineEvent.Failed failed) {
      onFailed(session, failed);
    }
  }

  private void onAcknowledged(GroupSession session, long sequence) {
    long before = session.acknowledgedEnd();
    if (!session.onAcknowledged(sequence, io.nanoTime())) {
      excluded.suspect(
          session.nodes().get(0), "acknowledged what was not sent: sequence=" + sequence);
      session.close();
    }
    if (session.acknowledgedEnd() > before) {
      triesSince = OptionalLong.empty();
    }
  }

  private void onFailed(GroupSession session, PipelineEvent.Failed failed) {
    ReplicaNode culprit =
        session.nodes().stream()
            .filter(node -> failed.culprit().filter(node.id()::equals).isPresent())
            .findFirst()
            .orElse(session.nodes().get(0));
    VdfsException error = failed.error();
    fenced |= error.code() == ErrorCode.FENCED;
    excluded.suspect(culprit, error);
    session.close();
  }

  private boolean settleDone(GroupSession session) {
    if (session.state() != GroupSession.State.DONE) {
      return false;
    }
    synced.put(session.group(), ids(session.nodes()));
    if (session == sessions.getFirst()) {
      flushedEnd = Math.max(flushedEnd, session.flushedEnd());
    }
    return true;
  }

  private void suspectOverdue() {
    long now = io.nanoTime();
    long openLimit = io.settings().openTimeout().toNanos();
    long ackLimit = io.settings().ackTimeout().toNanos();
    for (GroupSession session : sessions) {
      if (session.isOverdue(now, openLimit, ackLimit)) {
        excluded.suspect(session.nodes().get(0), "no answer in time: state=" + session.state());
        session.close();
      }
    }
  }

  /** Looks often enough at the sessions that a deadline is missed by little. */
  private long untilNextDeadline() {
    IoSettings settings = io.settings();
    return Math.min(settings.openTimeout().toNanos(), settings.ackTimeout().toNanos()) / 8;
  }

  private boolean hasPassed(long begun, Duration limit) {
    return io.nanoTime() - begun >= limit.toNanos();
  }

  private static List<NodeId> ids(List<ReplicaNode> nodes) {
    List<NodeId> ids = new ArrayList<>(nodes.size());
    nodes.forEach(node -> ids.add(node.id()));
    return ids;
  }
}
