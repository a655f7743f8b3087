package io.vdfs.client.trace;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a trace file, record by record, to its end or to the first byte that is damaged or missing:
 * records before that count, see {@link #fault}. Confined to one thread.
 */
public final class TraceReader implements Closeable {
  private final String name;
  private final InputStream in;
  private final TraceHeader header;
  private final Map<Long, String> texts = new HashMap<>();
  private ByteBuffer frame = ByteBuffer.allocate(0);
  private long frameStart;
  private long frameEnd = TraceFormat.MAGIC.length;
  private String fault;
  private boolean ended;
  private long lastStart;
  private long dropped;

  /**
   * @param name of the file, for messages
   * @param in closed with this, also if that fails
   * @throws VdfsException INVALID_ARGUMENT if it is no trace, or one of a later release; CORRUPT if
   *     it ends before it says of which process it is
   */
  public TraceReader(String name, InputStream in) throws IOException {
    this.name = name;
    this.in = new BufferedInputStream(in, 1 << 16);
    boolean sound = false;
    try {
      checkMagic();
      header = readHeader();
      sound = true;
    } finally {
      if (!sound) {
        in.close();
      }
    }
  }

  /** Of a local file. */
  public static TraceReader open(Path file) throws IOException {
    return new TraceReader(file.toString(), Files.newInputStream(file));
  }

  public TraceHeader header() {
    return header;
  }

  /** Why nothing more can be read; empty if the trace came to its end, or has not been read yet. */
  public Optional<String> fault() {
    return Optional.ofNullable(fault);
  }

  /** Records that the process dropped, as far as the file was read. */
  public long dropped() {
    return dropped;
  }

  /** The next record; empty at the end, whether the trace ends there or is damaged. */
  public Optional<TraceRecord> next() throws IOException {
    while (fault == null) {
      if (!frame.hasRemaining() && !nextFrame()) {
        break;
      }
      try {
        Optional<TraceRecord> record = read();
        if (record.isPresent()) {
          return record;
        }
      } catch (BufferUnderflowException | IllegalArgumentException e) {
        fault = "damaged: no record in the frame at byte " + frameStart;
      }
    }
    return Optional.empty();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }

  private void checkMagic() throws IOException {
    byte[] magic = in.readNBytes(TraceFormat.MAGIC.length);
    if (!Arrays.equals(magic, TraceFormat.MAGIC)) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "no trace of VDFS, or of another release: file=" + name);
    }
  }

  private TraceHeader readHeader() throws IOException {
    if (!nextFrame()) {
      throw new VdfsException(ErrorCode.CORRUPT, "a trace without a header: file=" + name);
    }
    try {
      return parseHeader();
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new VdfsException(
          ErrorCode.CORRUPT, "a trace with a header that is damaged: file=" + name, e);
    }
  }

  private TraceHeader parseHeader() throws IOException {
    int tag = frame.get();
    long version = TraceFormat.varint(frame);
    if (tag != TraceFormat.HEADER || version != TraceFormat.VERSION) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a trace of another release: file=" + name + ", version=" + version);
    }
    long seconds = TraceFormat.varint(frame);
    long nanos = TraceFormat.varint(frame);
    long began = signed();
    String host = TraceFormat.text(frame);
    long process = TraceFormat.varint(frame);
    String attempt = TraceFormat.text(frame);
    return new TraceHeader(Instant.ofEpochSecond(seconds, nanos), began, host, process, attempt);
  }

  /** Whether there is one; if not, {@link #fault} says why, unless the trace was ended. */
  private boolean nextFrame() throws IOException {
    byte[] head = in.readNBytes(TraceFormat.FRAME_HEAD);
    if (head.length == 0) {
      fault = ended ? null : "cut, or still being written: ends at byte " + frameEnd;
      return false;
    }
    if (head.length < TraceFormat.FRAME_HEAD) {
      fault = "cut: the last frame that is whole ends at byte " + frameEnd;
      return false;
    }
    int length = ByteBuffer.wrap(head).getInt();
    int checksum = ByteBuffer.wrap(head).getInt(Integer.BYTES);
    if (length <= 0 || length > TraceFormat.MOST_PAYLOAD) {
      fault = "damaged: no frame at byte " + frameEnd;
      return false;
    }
    byte[] payload = in.readNBytes(length);
    if (payload.length < length) {
      fault = "cut: the last frame that is whole ends at byte " + frameEnd;
      return false;
    }
    if (TraceFormat.checksum(payload, 0, length) != checksum) {
      fault = "damaged: wrong checksum of the frame at byte " + frameEnd;
      return false;
    }
    frameStart = frameEnd;
    frameEnd += TraceFormat.FRAME_HEAD + length;
    frame = ByteBuffer.wrap(payload);
    return true;
  }

  private Optional<TraceRecord> read() {
    int tag = frame.get();
    switch (tag) {
      case TraceFormat.PATH, TraceFormat.THREAD, TraceFormat.ERROR -> {
        long id = TraceFormat.varint(frame);
        texts.put(id, TraceFormat.text(frame));
      }
      case TraceFormat.CALL -> {
        return Optional.of(readCall());
      }
      case TraceFormat.DROPPED -> dropped += TraceFormat.varint(frame);
      case TraceFormat.END -> {
        TraceFormat.varint(frame);
        dropped = TraceFormat.varint(frame);
        ended = true;
      }
      default -> throw new IllegalArgumentException("no record: tag=" + tag);
    }
    return Optional.empty();
  }

  private TraceRecord readCall() {
    String op = TraceOp.label(frame.get() & 0xff);
    int flags = frame.get();
    lastStart += signed();
    long duration = TraceFormat.varint(frame);
    String thread = text();
    String path = has(flags, TraceFormat.HAS_PATH) ? text() : "";
    String target = has(flags, TraceFormat.HAS_TARGET) ? text() : "";
    boolean ranged = has(flags, TraceFormat.HAS_RANGE);
    long offset = ranged ? signed() : TraceSlot.NONE;
    long length = ranged ? signed() : TraceSlot.NONE;
    int calls = has(flags, TraceFormat.HAS_CALLS) ? (int) TraceFormat.varint(frame) : 1;
    long result = has(flags, TraceFormat.HAS_RESULT) ? signed() : TraceSlot.NONE;
    String error = has(flags, TraceFormat.HAS_ERROR) ? text() : "";
    return new TraceRecord(
        lastStart, duration, thread, op, path, target, offset, length, calls, result, error);
  }

  private static boolean has(int flags, int flag) {
    return (flags & flag) != 0;
  }

  private long signed() {
    return TraceFormat.unzigzag(TraceFormat.varint(frame));
  }

  private String text() {
    long id = TraceFormat.varint(frame);
    String text = texts.get(id);
    if (text == null) {
      throw new IllegalArgumentException("a text that was not defined: id=" + id);
    }
    return text;
  }
}
