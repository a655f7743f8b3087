package io.vdfs.client.write;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.io.NodesWait;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.write.PipelineChoice.Tried;
import io.vdfs.common.concurrent.Interrupts;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LeaseBoundProto;
import io.vdfs.common.wire.proto.WriteOpen;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The pipelines of one writer: at most the group being written and the one before it, which is
 * still being closed. Keeps the window, and recovers from failures. Confined to its writer, except
 * for {@link #abort}.
 *
 * <p>Recovery concerns one group: its pipeline is given up; the nodes to be left out of it are
 * recorded with the metadata service, which begins a new write epoch; then the group is opened on
 * the nodes that {@link PipelineChoice} names, at the start of the first packet that a node may
 * lack, and everything from there on is sent again. Nothing is acknowledged meanwhile, so bytes
 * never count as acknowledged that are missing on a node not recorded as left out. Where leaving a
 * node out would make it impossible to close the file, the same nodes are tried again for a while,
 * and then the writer fails. The next group begins with all nodes of its list again.
 */
final class PipelineSet {
  private static final int MAX_OPEN_GROUPS = 2;

  private final ClientIo io;
  private final FileView view;
  private final FileKey file;
  private final WriteCoordinator coordinator;
  private final PacketBuilder builder;
  private final NodesWait wait;
  private final LeaseBoundProto lease;
  private final Deque<GroupSession> sessions = new ArrayDeque<>();
  private final NavigableMap<Integer, SyncedGroup> synced = new TreeMap<>();
  private final BlockingQueue<WritePipeline.Event> mailbox = new LinkedBlockingQueue<>();

  /** Why each node failed last, for messages. */
  private final Map<NodeId, String> reasons = new LinkedHashMap<>();

  private int writeEpoch;
  private int recordedGroups;
  private long flushedEnd;
  private boolean fenced;

  /** Nodes whose last failure was a full disk. */
  private final Set<NodeId> full = new HashSet<>();

  /** Nodes that refused the last ticket as out of date. */
  private final Set<NodeId> refusing = new HashSet<>();

  /** The packet in hand begins where the last group must resume. */
  private boolean bytesFollow;

  /**
   * @param builder keeps the partial chunk that a recovery may have to send again
   */
  PipelineSet(ClientIo io, FileView view, WriteCoordinator coordinator, PacketBuilder builder) {
    this.io = io;
    this.view = view;
    this.file = view.file();
    this.coordinator = coordinator;
    this.builder = builder;
    this.wait = new NodesWait(io.settings().nodesWait(), io.settings().retryDelay());
    this.lease = WireIds.encode(view.lease());
    this.writeEpoch = view.writeEpoch();
    this.flushedEnd = view.length();
    this.recordedGroups = io.geometry().groupAt(view.length());
  }

  int writeEpoch() {
    return writeEpoch;
  }

  /** The finished groups, except for those known to be recorded. */
  Map<Integer, SyncedGroup> synced() {
    return synced;
  }

  /**
   * Has the metadata service record which groups are whole, and how much others may see. If it
   * can't be reached, or can't tell whether it did, that waits for the next time: closing the file
   * does not depend on it.
   *
   * @param flushed bytes of the file that every node has; 0: nothing to report
   * @return false if nothing could be recorded
   * @throws VdfsException FENCED and the like: the file is no longer this writer's
   */
  boolean recordProgress(long flushed) throws IOException {
    NavigableMap<Integer, SyncedGroup> whole = new TreeMap<>();
    int group = recordedGroups;
    while (synced.containsKey(group) && groupStart(group + 1) <= builder.end()) {
      whole.put(group, synced.get(group));
      group++;
    }
    if (whole.isEmpty() && flushed == 0) {
      return true;
    }
    try {
      coordinator.recordProgress(file, writeEpoch, flushed, whole);
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.UNAVAILABLE || e.code() == ErrorCode.OUTCOME_UNKNOWN) {
        return false;
      }
      throw e;
    }
    io.counters().increment(IoCounter.PROGRESS_RECORDS);
    recordedGroups = group;
    synced.keySet().removeAll(whole.keySet());
    return true;
  }

  /** Whether packets of {@code group} went out and its last one did not. */
  boolean isUnfinished(int group) {
    return sessions.stream().anyMatch(s -> s.group() == group && !s.isFinished());
  }

  /**
   * Sends a packet of {@code group}, opening its pipeline first where need be. Blocks while the
   * window is full, unless a caller waits for the acknowledgement, in which case nodes hold back
   * none of the earlier ones.
   *
   * @param start end of the bytes the file has already, for a group that is not open
   * @param packet taken over, also in failure
   */
  void send(int group, long start, Packet packet) throws IOException {
    GroupSession session;
    bytesFollow = packet.size() > 0;
    try {
      session = sessionFor(group, start, packet);
      awaitRoom(packet);
    } catch (IOException | RuntimeException | Error e) {
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

  /** Whether packets are kept here, as nodes may lack them. */
  boolean isPending() {
    return windowBytes() > 0;
  }

  /** Waits until there is memory again, or no packet is kept here; all must have been flushed. */
  void awaitMemory() throws IOException {
    io.counters().increment(IoCounter.MEMORY_WAITS);
    while (io.budget().isOverdrawn() && isPending()) {
      awaitProgress();
    }
  }

  /** Wakes the owner, which then fails. For other threads. */
  void abort() {
    mailbox.add(new WritePipeline.Event.Aborted());
  }

  /** Gives all pipelines up and releases the packets. */
  void release() {
    sessions.forEach(GroupSession::release);
    sessions.clear();
  }

  private GroupSession sessionFor(int group, long start, Packet first) throws IOException {
    for (GroupSession session : sessions) {
      if (session.group() == group) {
        return session;
      }
    }
    // recovery relies on all groups before the last two being complete
    while (!sessions.isEmpty() && sessions.getFirst().group() <= group - MAX_OPEN_GROUPS) {
      awaitProgress();
    }
    recordProgress(0);
    GroupSession session =
        new GroupSession(group, start, io.geometry().blockSize(), checksum(group, start));
    if (first.purpose().isLast() && first.offset() == groupStart(group)) {
      session.setBytes(first.size());
    }
    sessions.addLast(session);
    settle();
    return session;
  }

  /** Of the bytes that the file has in a group before the first packet. */
  private GroupChecksum checksum(int group, long start) {
    boolean fresh = start == groupStart(group);
    int known = fresh ? 0 : view.leaseStartChecksum();
    return new GroupChecksum(io.geometry().chunkSize(), start, fresh || known != 0, known);
  }

  private void awaitRoom(Packet packet) throws IOException {
    drain();
    settle();
    while (!packet.purpose().isAwaited()
        && windowBytes() > 0
        && windowBytes() + packet.size() > io.settings().windowBytes()) {
      awaitProgress();
    }
  }

  private long windowBytes() {
    return sessions.stream().mapToLong(GroupSession::pendingBytes).sum();
  }

  private void awaitProgress() throws IOException {
    awaitEvent(untilNextDeadline());
    settle();
  }

  /** Brings every session to a working pipeline, or throws. */
  private void settle() throws IOException {
    while (sessions.stream().anyMatch(this::isClosed)) {
      Map<GroupSession, PipelineChoice> choices = choose();
      record(choices);
      for (Map.Entry<GroupSession, PipelineChoice> choice : choices.entrySet()) {
        open(choice.getKey(), choice.getValue().nodes());
      }
      while (sessions.stream().anyMatch(session -> session.state() == GroupSession.State.OPENING)) {
        awaitEvent(untilNextDeadline());
      }
    }
  }

  private boolean isClosed(GroupSession session) {
    return session.state() == GroupSession.State.CLOSED;
  }

  /** Finds nodes for every group without a pipeline, waiting for those that cannot be spared. */
  private Map<GroupSession, PipelineChoice> choose() throws IOException {
    boolean waited = false;
    while (true) {
      failIfFenced();
      Map<GroupSession, PipelineChoice> choices = new LinkedHashMap<>();
      boolean enough = true;
      for (GroupSession session : sessions) {
        if (isClosed(session)) {
          PipelineChoice choice = choose(session);
          choices.put(session, choice);
          enough &= choice.nodes().size() >= needed();
          enough &= waited || choice.nodes().stream().noneMatch(session::hasFailed);
        }
      }
      if (enough) {
        return choices;
      }
      if (!wait.mayGoOn(io.nanoTime(), isShortOfSpace(choices))) {
        throw tooFew(choices);
      }
      waited = true;
      awaitEvent(wait.nextPause().toNanos());
    }
  }

  /** Whether a node has no space that is to be tried again, as it cannot be spared. */
  private boolean isShortOfSpace(Map<GroupSession, PipelineChoice> choices) {
    return choices.values().stream()
        .flatMap(choice -> choice.nodes().stream())
        .anyMatch(node -> full.contains(node.id()));
  }

  private PipelineChoice choose(GroupSession session) {
    int group = session.group();
    List<ReplicaNode> list = list(group);
    GroupReplicas replicas = view.replicas(list, group).without(session.leftOut());
    List<ReplicaNode> able =
        list.stream().filter(node -> replicas.readOrder().contains(node.id())).toList();
    Tried tried = new Tried(session::hasFailed, io.tries()::count);
    if (session.resumeAt(io.geometry().chunkSize()) <= groupStart(group)) {
      return PipelineChoice.fresh(able, replicas.factor(), needed(), tried);
    }
    Set<NodeId> keepers =
        new HashSet<>(session.isReopened() ? ids(session.nodes()) : replicas.keepers());
    return PipelineChoice.begun(
        able, node -> keepers.contains(node.id()), replicas.factor(), needed(), tried);
  }

  /** Records the nodes that are left out, and begins an epoch where pipelines were given up. */
  private void record(Map<GroupSession, PipelineChoice> choices) throws IOException {
    NavigableMap<Integer, List<NodeId>> leftOut = new TreeMap<>();
    choices.forEach(
        (session, choice) -> {
          if (!choice.leftOut().isEmpty()) {
            leftOut.put(session.group(), ids(choice.leftOut()));
          }
        });
    boolean reopens = choices.keySet().stream().anyMatch(GroupSession::isReopened);
    if (leftOut.isEmpty() && !reopens) {
      return;
    }
    long length = Math.max(flushedEnd, sessions.getFirst().flushedEnd());
    writeEpoch = coordinator.changePipeline(file, writeEpoch, leftOut, length);
    io.counters().increment(IoCounter.PIPELINE_CHANGES);
    choices.forEach(this::onRecorded);
  }

  private void onRecorded(GroupSession session, PipelineChoice choice) {
    for (ReplicaNode node : choice.leftOut()) {
      boolean tried = session.hasFailed(node) || io.tries().count(node);
      io.counters().increment(tried ? IoCounter.NODES_EXCLUDED : IoCounter.NODES_PASSED_OVER);
    }
    session.leftOut().addAll(ids(choice.leftOut()));
    session.forgetFailures();
  }

  private VdfsException tooFew(Map<GroupSession, PipelineChoice> choices) {
    GroupSession session = choices.keySet().iterator().next();
    for (GroupSession candidate : choices.keySet()) {
      List<ReplicaNode> chosen = choices.get(candidate).nodes();
      if (chosen.size() < needed() || chosen.stream().anyMatch(candidate::hasFailed)) {
        session = candidate;
        break;
      }
    }
    // a full disk is what an operator has to cure, whatever else failed
    return new VdfsException(
        full.isEmpty() ? ErrorCode.UNAVAILABLE : ErrorCode.NO_SPACE,
        ("too few nodes of the group's list take its bytes: file=%s, group=%s, listed=%s,"
                + " down=%s, needed=%s, waited=%s, failed=%s")
            .formatted(
                file,
                session.group(),
                list(session.group()),
                ids(list(session.group()).stream().filter(node -> !node.live()).toList()),
                needed(),
                io.settings().nodesWait(),
                reasons));
  }

  private void failIfFenced() throws VdfsException {
    if (fenced) {
      throw new VdfsException(
          ErrorCode.FENCED,
          ("another writer or a recovery took the file over: file=%s, writeEpoch=%s,"
                  + " refusedBy=%s")
              .formatted(file, writeEpoch, reasons));
    }
  }

  private void open(GroupSession session, List<ReplicaNode> nodes) {
    long resumeAt = session.resumeAt(io.geometry().chunkSize());
    if (resumeAt < session.acknowledgedEnd() && !session.hasQueuedBytes() && !bytesFollow) {
      session.queueFirst(builder.tail(session.acknowledgedEnd()));
    }
    io.counters().increment(IoCounter.PIPELINES_OPENED);
    WriteOpen request = request(session, Math.max(groupStart(session.group()), resumeAt), nodes);
    session.onOpening(
        WritePipeline.open(io, nodes.get(0), request, mailbox::add), nodes, io.nanoTime());
  }

  private WriteOpen request(GroupSession session, long startOffset, List<ReplicaNode> nodes) {
    int group = session.group();
    WriteOpen.Builder request =
        WriteOpen.newBuilder()
            .setFile(WireIds.encode(file))
            .setGroup(group)
            .setBytes(session.bytes())
            .setWriteEpoch(writeEpoch)
            .setStartOffset(startOffset)
            .setLease(lease)
            .setTicket(coordinator.ticket(file, writeEpoch))
            .setPrimary(nodes.get(0).id().equals(list(group).get(0).id()))
            .setRingEpoch(io.placement().ringEpoch())
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(nodes.get(0).id()));
    for (ReplicaNode node : nodes.subList(1, nodes.size())) {
      request.addDownstream(WireIds.encode(node.id()));
    }
    return request.build();
  }

  private List<ReplicaNode> list(int group) {
    return io.placement().replicas(file, group);
  }

  private int needed() {
    return GroupReplicas.requiredCopies(view.replication(), io.placement().copies());
  }

  private long groupStart(int group) {
    return group * io.geometry().groupSize();
  }

  private void drain() throws IOException {
    for (WritePipeline.Event event = mailbox.poll(); event != null; event = mailbox.poll()) {
      onEvent(event);
    }
  }

  /** Takes the events that are there, or waits for one; then looks for overdue answers. */
  private void awaitEvent(long limitNanos) throws IOException {
    try {
      WritePipeline.Event event = mailbox.poll(Math.max(0, limitNanos), TimeUnit.NANOSECONDS);
      if (event != null) {
        onEvent(event);
        drain();
      }
    } catch (InterruptedException e) {
      throw Interrupts.during("writing: file=" + file, e);
    }
    failOverdue();
  }

  private void onEvent(WritePipeline.Event event) throws IOException {
    if (event instanceof WritePipeline.Event.Aborted) {
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

  private void onEvent(GroupSession session, WritePipeline.Event event) {
    if (event instanceof WritePipeline.Event.Ready) {
      session.onReady(io.nanoTime());
      session.nodes().forEach(node -> onReady(node.id()));
    } else if (event instanceof WritePipeline.Event.Acknowledged ack) {
      onAcknowledged(session, ack.sequence());
    } else if (event instanceof WritePipeline.Event.Failed failed) {
      onFailed(session, failed);
    }
  }

  private void onReady(NodeId node) {
    io.tries().succeeded(node);
    refusing.remove(node);
  }

  private void onAcknowledged(GroupSession session, long sequence) {
    long before = session.acknowledgedEnd();
    if (!session.onAcknowledged(sequence, io.nanoTime())) {
      fail(session, session.nodes().get(0), "acknowledged what was not sent: sequence=" + sequence);
    }
    // a second acknowledgement is no progress: a full disk has those bytes already
    if (session.acknowledgedEnd() > before || session.isIdle()) {
      wait.onProgress();
    }
  }

  private void onFailed(GroupSession session, WritePipeline.Event.Failed failed) {
    ReplicaNode culprit =
        session.nodes().stream()
            .filter(node -> failed.culprit().filter(node.id()::equals).isPresent())
            .findFirst()
            .orElse(session.nodes().get(0));
    VdfsException error = failed.error();
    if (error.code() == ErrorCode.STALE_TICKET && refusing.add(culprit.id())) {
      // no node failed: the epoch in which the group is opened again has a ticket of its own
      io.counters().increment(IoCounter.STALE_TICKETS);
      session.close();
      return;
    }
    fenced |= error.code() == ErrorCode.FENCED;
    if (error.code() == ErrorCode.NO_SPACE) {
      full.add(culprit.id());
    } else {
      full.remove(culprit.id());
    }
    fail(session, culprit, error.code() + " " + error.getMessage());
  }

  private void fail(GroupSession session, ReplicaNode culprit, String reason) {
    io.counters().increment(IoCounter.FAILED_TRIES);
    io.tries().failed(culprit.id(), session.waited(io.nanoTime()));
    io.health().failed(culprit.id());
    reasons.put(culprit.id(), culprit.address() + ": " + reason);
    session.onFailed(culprit, reason);
    session.close();
  }

  private boolean settleDone(GroupSession session) {
    if (session.state() != GroupSession.State.DONE) {
      return false;
    }
    synced.put(session.group(), new SyncedGroup(ids(session.nodes()), session.checksum()));
    if (session == sessions.getFirst()) {
      flushedEnd = Math.max(flushedEnd, session.flushedEnd());
    }
    return true;
  }

  private void failOverdue() {
    long now = io.nanoTime();
    long openLimit = io.settings().openTimeout().toNanos();
    long ackLimit = io.settings().ackTimeout().toNanos();
    for (GroupSession session : sessions) {
      if (session.isOverdue(now, openLimit, ackLimit)) {
        fail(session, session.nodes().get(0), "no answer in time: state=" + session.state());
      }
    }
  }

  /** Looks at the sessions often enough to miss a deadline only by little. */
  private long untilNextDeadline() {
    IoSettings settings = io.settings();
    return Math.min(settings.openTimeout().toNanos(), settings.ackTimeout().toNanos()) / 8;
  }

  private static List<NodeId> ids(List<ReplicaNode> nodes) {
    List<NodeId> ids = new ArrayList<>(nodes.size());
    nodes.forEach(node -> ids.add(node.id()));
    return ids;
  }
}
