package io.vdfs.client.write;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.ViewSource;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the bytes of one file front to back through pipelines of nodes. Thread-safe; one lock
 * guards all state but {@code aborted}, and {@link #abort} does not wait for it. Every wait is
 * limited.
 *
 * <p>After a failure that recovery could not cure, even an {@code Error}, the writer stays dead:
 * each further call fails with the first cause, but {@link #close} only once.
 *
 * <pre>
 *   OPEN --close--> CLOSED
 *    |
 *    +--failure, abort--> DEAD --close--> CLOSED
 * </pre>
 */
public final class FileWriter implements AutoCloseable {
  private enum State {
    OPEN,
    DEAD,
    CLOSED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final ClientIo io;
  private final FileView view;
  private final WriteCoordinator coordinator;
  private final PacketBuilder builder;
  private final PipelineSet pipelines;
  private State state = State.OPEN;
  private IOException deathCause;

  /**
   * The thread that releases the lock cleans up an aborted writer, so that the aborting thread need
   * not wait.
   */
  private volatile boolean aborted;

  private long flushedEnd;
  private long syncedEnd;

  /** The last group that is recorded to have flushed bytes. */
  private int toldGroup = -1;

  /** End of the last packet that flushes. */
  private long pushedEnd;

  /** End of the last packet whose acknowledgement nodes do not hold back. */
  private long awaitedEnd;

  private FileWriter(ClientIo io, FileView view, WriteCoordinator coordinator, byte[] tail) {
    this.io = io;
    this.view = view;
    this.coordinator = coordinator;
    this.flushedEnd = view.length();
    this.syncedEnd = view.length();
    this.pushedEnd = view.length();
    this.awaitedEnd = view.length();
    this.builder =
        new PacketBuilder(
            io.budget(),
            io.geometry().chunkSize(),
            io.settings().packetSize(),
            view.length(),
            tail);
    this.pipelines = new PipelineSet(io, view, coordinator, builder);
  }

  /**
   * Begins a file without bytes. Contacts no node yet.
   *
   * @param view what metadata answered to the creation
   */
  public static FileWriter create(ClientIo io, FileView view, WriteCoordinator coordinator) {
    if (view.length() != 0) {
      throw new IllegalArgumentException("a new file has no bytes: view=" + view);
    }
    return new FileWriter(io, view, coordinator, new byte[0]);
  }

  /**
   * Continues at the end of a file, reading its last partial chunk back first.
   *
   * @param view what metadata answered to the append
   * @throws VdfsException UNAVAILABLE or CORRUPT if no replica has that chunk
   */
  public static FileWriter append(ClientIo io, FileView view, WriteCoordinator coordinator)
      throws IOException {
    int partial = (int) (view.length() % io.geometry().chunkSize());
    byte[] tail = new byte[partial];
    FileReader reader = new FileReader(io, view, ViewSource.fixed(view));
    reader.readFully(view.length() - partial, tail, 0, partial);
    return new FileWriter(io, view, coordinator, tail);
  }

  /** Number of bytes the file has with everything written. */
  public long position() {
    lock.lock();
    try {
      return builder.end();
    } finally {
      unlock();
    }
  }

  public void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    run(() -> append(bytes, offset, length));
  }

  /** Returns once every node keeps the bytes and new readers see them: hflush. */
  public void flush() throws IOException {
    run(
        () -> {
          long end = builder.end();
          if (flushedEnd < end) {
            push(Packet.Purpose.FLUSH);
          }
          pipelines.awaitAcknowledged();
          onFlushed(end);
        });
  }

  /**
   * Returns once the bytes survive a power cut on as many nodes as closing asks for: hsync.
   *
   * @throws VdfsException UNAVAILABLE if too few nodes are left
   */
  public void sync() throws IOException {
    run(
        () -> {
          long end = builder.end();
          if (syncedEnd < end) {
            push(Packet.Purpose.SYNC);
          }
          pipelines.awaitAcknowledged();
          onFlushed(end);
          syncedEnd = end;
        });
  }

  /**
   * Lets others know: the first time in a group through the metadata log, from then on at best
   * effort.
   */
  private void onFlushed(long end) throws IOException {
    if (flushedEnd == end) {
      return;
    }
    flushedEnd = end;
    if (currentGroup() != toldGroup && pipelines.recordProgress(end)) {
      toldGroup = currentGroup();
    }
    coordinator.flushed(view.file(), end);
  }

  /**
   * Syncs what is left and closes the file with metadata; if the settings say so, the nodes need
   * only have received what is left of the last group. Idempotent; fails once if the writer is
   * dead.
   */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      if (state != State.CLOSED) {
        carryOut(this::complete);
        letGo();
      }
    } finally {
      state = State.CLOSED;
      unlock();
    }
  }

  /**
   * Gives the file up without closing it; what was acknowledged stays, and the lease runs out. Ends
   * a call of another thread, without waiting for that. Idempotent; does nothing after {@link
   * #close}.
   */
  public void abort() {
    aborted = true;
    pipelines.abort();
    buryAborted();
  }

  private void unlock() {
    lock.unlock();
    if (aborted) {
      buryAborted();
    }
  }

  /** Does nothing while another thread has the lock: that thread comes here when it releases it. */
  private void buryAborted() {
    if (lock.tryLock()) {
      try {
        dieIfAborted();
      } finally {
        lock.unlock();
      }
    }
  }

  private void dieIfAborted() {
    if (aborted && state == State.OPEN) {
      die(new VdfsException(ErrorCode.UNAVAILABLE, "the writer was aborted: file=" + view.file()));
    }
  }

  private void append(byte[] bytes, int offset, int length) throws IOException {
    int done = 0;
    while (done < length) {
      long groupRest = groupEnd(builder.end()) - builder.end();
      int taken = builder.append(bytes, offset + done, (int) Math.min(groupRest, length - done));
      done += taken;
      io.counters().add(IoCounter.BYTES_WRITTEN, taken);
      if (taken == groupRest) {
        send(builder.seal(Packet.Purpose.LAST));
      } else if (builder.isFull()) {
        send(builder.seal(nextPurpose()));
      }
      awaitMemory();
    }
  }

  /**
   * While the JVM's budget is overdrawn, no more bytes are taken until the packets that this writer
   * has on their way are released. So it never waits for other streams, and goes on at the pace of
   * its nodes, a chunk at a time.
   */
  private void awaitMemory() throws IOException {
    if (!builder.hasUnsent() && io.budget().isOverdrawn() && pipelines.isPending()) {
      if (awaitedEnd < builder.end()) {
        push(Packet.Purpose.FLUSH);
      }
      pipelines.awaitMemory();
    }
  }

  /**
   * Flushes now and then without being asked to: packets are released only once nodes keep them
   * through a kill.
   */
  private Packet.Purpose nextPurpose() {
    if (io.budget().isOverdrawn()) {
      return Packet.Purpose.FLUSH;
    }
    boolean due = builder.end() - pushedEnd >= io.settings().windowBytes() / 4;
    return due ? Packet.Purpose.OWN_FLUSH : Packet.Purpose.DATA;
  }

  private void complete() throws IOException {
    boolean unforced = view.closeUnforced() || io.settings().closeUnforced();
    if (builder.hasUnsent() || pipelines.isUnfinished(currentGroup())) {
      push(unforced ? Packet.Purpose.LAST_UNFORCED : Packet.Purpose.LAST);
    }
    pipelines.awaitAcknowledged();
    coordinator.complete(
        view.file(),
        pipelines.writeEpoch(),
        builder.end(),
        io.placement().ringEpoch(),
        pipelines.synced(),
        unforced);
  }

  /** Sends what is unsent, or the purpose alone where its group is still open. */
  private void push(Packet.Purpose purpose) throws IOException {
    if (builder.hasUnsent()) {
      send(builder.seal(purpose));
    } else if (pipelines.isUnfinished(currentGroup())) {
      send(builder.marker(purpose));
    }
  }

  private void send(Packet packet) throws IOException {
    if (packet.purpose().flushes()) {
      pushedEnd = packet.end();
    }
    if (packet.purpose().isAwaited()) {
      awaitedEnd = packet.end();
    }
    int group = groupOfLastByte(packet.end());
    long groupStart = group * io.geometry().groupSize();
    pipelines.send(group, Math.max(groupStart, view.length()), packet);
  }

  private int currentGroup() {
    return groupOfLastByte(builder.end());
  }

  private int groupOfLastByte(long end) {
    return io.geometry().groupAt(Math.max(0, end - 1));
  }

  private long groupEnd(long position) {
    ClusterGeometry geometry = io.geometry();
    return (geometry.groupAt(position) + 1) * geometry.groupSize();
  }

  private void run(Step step) throws IOException {
    lock.lock();
    try {
      carryOut(step);
    } finally {
      unlock();
    }
  }

  /** Under the lock. A failure kills the writer, as part of what the caller gave may be lost. */
  private void carryOut(Step step) throws IOException {
    dieIfAborted();
    if (state == State.CLOSED) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "the writer is closed: file=" + view.file());
    }
    if (state == State.DEAD) {
      throw dead();
    }
    try {
      step.run();
    } catch (IOException e) {
      die(e);
      throw e;
    } catch (RuntimeException | Error e) {
      die(new VdfsException(ErrorCode.INTERNAL, "defect of the writer: " + e, e));
      throw e;
    }
  }

  private void die(IOException cause) {
    state = State.DEAD;
    deathCause = cause;
    letGo();
  }

  private void letGo() {
    pipelines.release();
    builder.release();
  }

  private VdfsException dead() {
    ErrorCode code =
        deathCause instanceof VdfsException known ? known.code() : ErrorCode.UNAVAILABLE;
    return new VdfsException(
        code,
        "the writer failed before: file=" + view.file() + ", reason=" + deathCause.getMessage(),
        deathCause);
  }

  @FunctionalInterface
  private interface Step {
    void run() throws IOException;
  }
}
