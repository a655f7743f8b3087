package io.vdfs.datanode.segment;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.segment.SegmentLayout;
import io.vdfs.common.segment.SlotTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * The segment of one connection. Thread-safe: the monitor guards its making and its end, and is
 * held while the filesystem does these; slots have one writer at a time.
 *
 * <pre>
 *   NEW --open--> OPEN --close--> CLOSED
 *     \------------close------------^
 * </pre>
 */
final class SegmentSession implements AutoCloseable {
  private enum State {
    NEW,
    OPEN,
    CLOSED
  }

  private final SegmentMemory memory;
  private final Counters<SegmentCounter> counters;
  private final Consumer<SegmentSession> onClosed;
  private final SlotTable slots;
  private State state = State.NEW;

  /** Null unless the session is open; a writer that still has it gets an exception afterwards. */
  private volatile Segment segment;

  /**
   * @param onClosed hears of the end, possibly more than once
   */
  SegmentSession(
      SegmentMemory memory, Counters<SegmentCounter> counters, Consumer<SegmentSession> onClosed) {
    this.memory = memory;
    this.counters = counters;
    this.onClosed = onClosed;
    this.slots = new SlotTable(memory.layout());
  }

  SegmentLayout layout() {
    return memory.layout();
  }

  /**
   * Makes the segment, unless it is there. Blocks on the filesystem.
   *
   * @return the name to open it by
   * @throws VdfsException UNSUPPORTED if there can be none now, for whatever reason: the reader
   *     then turns to the socket
   */
  synchronized Path open() throws VdfsException {
    if (state == State.CLOSED) {
      throw new VdfsException(ErrorCode.UNSUPPORTED, "no segment delivery: the session is over");
    }
    if (state == State.NEW) {
      try {
        segment = memory.create();
      } catch (IOException | RuntimeException | Error e) {
        counters.increment(SegmentCounter.SEGMENTS_REFUSED);
        throw new VdfsException(ErrorCode.UNSUPPORTED, "no segment delivery: " + e, e);
      }
      state = State.OPEN;
    }
    return segment.path();
  }

  /**
   * Takes a slot for writing; never blocks.
   *
   * @param slot as the reader names it
   * @return false if there is no such slot, it is being written, or there is no segment
   */
  boolean take(int slot) {
    return segment != null && slots.take(slot);
  }

  /** Gives a slot back to the reader, which must hear of it only afterwards. */
  void give(int slot) {
    slots.give(slot);
  }

  /**
   * Writes into a slot that the caller took.
   *
   * @param offset in the slot
   * @param bytes from position to limit, which fit behind it
   * @throws VdfsException UNSUPPORTED if the segment is gone or cannot be written
   */
  void write(int slot, int offset, ByteBuffer bytes) throws VdfsException {
    Segment target = segment;
    if (offset < 0 || bytes.remaining() > layout().slotBytes() - offset) {
      throw new IllegalArgumentException(
          "does not fit into a slot: offset=%s, length=%s, slotBytes=%s"
              .formatted(offset, bytes.remaining(), layout().slotBytes()));
    }
    if (target == null) {
      throw new VdfsException(ErrorCode.UNSUPPORTED, "no segment delivery: the session is over");
    }
    try {
      target.file().write(bytes, layout().position(slot) + offset);
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "cannot write a segment: path=" + target.path() + ": " + e, e);
    }
  }

  /** Removes the segment, even while it is being written. Idempotent; blocks on the filesystem. */
  @Override
  public synchronized void close() {
    if (state == State.OPEN) {
      memory.remove(segment);
      segment = null;
    }
    state = State.CLOSED;
    onClosed.accept(this);
  }
}
