package io.vdfs.client.trace;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Makes frames of records, see {@link TraceFormat}. Confined to the writer. */
final class TraceEncoder {
  /** Texts that are known by number at a time, of each kind. */
  private static final int MOST_TEXTS = 1 << 16;

  private static final int START_BYTES = 96 << 10;

  private final Map<String, Long> paths = new HashMap<>();
  private final Map<Long, Long> threads = new HashMap<>();
  private final Map<String, Long> errors = new HashMap<>();
  private final long began;
  private byte[] frame = new byte[START_BYTES];
  private int end = TraceFormat.FRAME_HEAD;
  private long nextId;
  private long lastStart;

  TraceEncoder(TraceHeader header) {
    began = header.beganNanos();
    tag(TraceFormat.HEADER);
    number(TraceFormat.VERSION);
    Instant wallClock = header.began();
    number(wallClock.getEpochSecond());
    number(wallClock.getNano());
    signed(header.beganNanos());
    text(header.host());
    number(header.processId());
    text(header.attempt());
  }

  /** Bytes of records that are in no frame yet. */
  int pending() {
    return end - TraceFormat.FRAME_HEAD;
  }

  void add(TraceSlot slot) {
    long thread = threadId(slot.thread);
    long path = slot.path == null ? 0 : id(paths, TraceFormat.PATH, slot.path);
    long target = slot.target == null ? 0 : id(paths, TraceFormat.PATH, slot.target);
    long error = slot.error == null ? 0 : id(errors, TraceFormat.ERROR, slot.error);
    boolean ranged = slot.offset != TraceSlot.NONE || slot.length != TraceSlot.NONE;
    tag(TraceFormat.CALL);
    tag(slot.op.code());
    tag(
        flag(slot.path != null, TraceFormat.HAS_PATH)
            | flag(slot.target != null, TraceFormat.HAS_TARGET)
            | flag(ranged, TraceFormat.HAS_RANGE)
            | flag(slot.calls != 1, TraceFormat.HAS_CALLS)
            | flag(slot.result != TraceSlot.NONE, TraceFormat.HAS_RESULT)
            | flag(slot.error != null, TraceFormat.HAS_ERROR));
    long start = slot.start - began;
    signed(start - lastStart);
    lastStart = start;
    number(Math.max(0, slot.end - slot.start));
    number(thread);
    if (slot.path != null) {
      number(path);
    }
    if (slot.target != null) {
      number(target);
    }
    if (ranged) {
      signed(slot.offset);
      signed(slot.length);
    }
    if (slot.calls != 1) {
      number(slot.calls);
    }
    if (slot.result != TraceSlot.NONE) {
      signed(slot.result);
    }
    if (slot.error != null) {
      number(error);
    }
  }

  void addDropped(long count) {
    tag(TraceFormat.DROPPED);
    number(count);
  }

  void addEnd(long records, long dropped) {
    tag(TraceFormat.END);
    number(records);
    number(dropped);
  }

  /** Writes all that was added as one frame, and forgets it, whether that works or not. */
  void writeFrame(OutputStream out) throws IOException {
    int length = pending();
    if (length == 0) {
      return;
    }
    ByteBuffer.wrap(frame)
        .putInt(length)
        .putInt(TraceFormat.checksum(frame, TraceFormat.FRAME_HEAD, length));
    int all = end;
    end = TraceFormat.FRAME_HEAD;
    out.write(frame, 0, all);
  }

  /** Forgets what was added since the last frame. Texts keep their numbers. */
  void forget() {
    end = TraceFormat.FRAME_HEAD;
  }

  private static int flag(boolean set, int bit) {
    return set ? bit : 0;
  }

  private long threadId(Thread thread) {
    Long known = threads.get(thread.getId());
    return known == null
        ? define(threads, thread.getId(), TraceFormat.THREAD, thread.getName())
        : known;
  }

  private long id(Map<String, Long> texts, int kind, String text) {
    Long known = texts.get(text);
    return known == null ? define(texts, text, kind, text) : known;
  }

  private <K> long define(Map<K, Long> texts, K key, int kind, String text) {
    if (texts.size() >= MOST_TEXTS) {
      texts.clear(); // they get new ids when they come again
    }
    long id = nextId++;
    texts.put(key, id);
    tag(kind);
    number(id);
    text(text);
    return id;
  }

  private void tag(int value) {
    room(1);
    frame[end++] = (byte) value;
  }

  private void signed(long value) {
    number(TraceFormat.zigzag(value));
  }

  private void number(long value) {
    room(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      frame[end++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    frame[end++] = (byte) rest;
  }

  private void text(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    number(bytes.length);
    room(bytes.length);
    System.arraycopy(bytes, 0, frame, end, bytes.length);
    end += bytes.length;
  }

  private void room(int bytes) {
    if (frame.length - end < bytes) {
      frame = Arrays.copyOf(frame, Math.max(frame.length * 2, end + bytes));
    }
  }
}
