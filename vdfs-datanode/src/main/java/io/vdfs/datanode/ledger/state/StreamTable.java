package io.vdfs.datanode.ledger.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.StreamId;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The streams by id, the check of who may use them, and the totals of each user. Confined to the
 * ledger's owner.
 */
public final class StreamTable {
  private final TreeMap<StreamId, StreamState> streams = new TreeMap<>();
  private final WaitingStreams waiting = new WaitingStreams();
  private final Map<String, Integer> countByOwner = new HashMap<>();
  private final Map<String, Long> memoryByOwner = new HashMap<>();

  /** The stream, or null if there is none. */
  public StreamState find(StreamId id) {
    return streams.get(id);
  }

  /** All streams in the order of their ids. */
  public Collection<StreamState> all() {
    return streams.values();
  }

  /** The streams with ids behind {@code id}, in their order. */
  public Collection<StreamState> behind(StreamId id) {
    return streams.tailMap(id, false).values();
  }

  /** The streams whose jobs have not begun to draw. */
  public WaitingStreams waiting() {
    return waiting;
  }

  /** Number of a user's streams, sealed or not. */
  public int countOf(String owner) {
    return countByOwner.getOrDefault(owner, 0);
  }

  /** Sum of {@link StreamState#memory()} over a user's streams. */
  public long memoryOf(String owner) {
    return memoryByOwner.getOrDefault(owner, 0L);
  }

  /** Adds a stream that is not there yet. */
  void put(StreamState stream) {
    streams.put(stream.id(), stream);
    countByOwner.merge(stream.owner(), 1, Integer::sum);
    addMemory(stream.owner(), stream.memory());
  }

  /** Removes a stream that is there. */
  void remove(StreamId id) {
    StreamState stream = streams.remove(id);
    waiting.remove(stream);
    countByOwner.computeIfPresent(stream.owner(), (unused, count) -> count == 1 ? null : count - 1);
    addMemory(stream.owner(), -stream.memory());
  }

  /** Counts the bytes that a stream takes more than before, which may be none. */
  void addMemory(String owner, long bytes) {
    long sum = memoryOf(owner) + bytes;
    if (sum == 0) {
      memoryByOwner.remove(owner);
    } else {
      memoryByOwner.put(owner, sum);
    }
  }

  /**
   * Reads the id of a stream.
   *
   * @throws VdfsException INVALID_ARGUMENT if {@code bytes} is no stream id
   */
  public static StreamId id(ByteString bytes) throws VdfsException {
    if (bytes.size() != StreamId.BYTES) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "a stream id has 16 bytes: length=" + bytes.size());
    }
    return StreamId.of(bytes.toByteArray());
  }

  /**
   * The stream for a caller who may use it.
   *
   * @throws VdfsException NOT_FOUND if there is none: it never comes back, and never as a new one;
   *     PERMISSION_DENIED if it is another user's
   */
  public StreamState require(ByteString bytes, Caller caller) throws VdfsException {
    StreamId id = id(bytes);
    StreamState stream = streams.get(id);
    if (stream == null) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "no such stream, it was never created, was released or has expired: stream=" + id);
    }
    checkOwner(stream, caller);
    return stream;
  }

  /** As {@link #require}, for what needs the complete input. */
  public StreamState requireSealed(ByteString bytes, Caller caller) throws VdfsException {
    StreamState stream = require(bytes, caller);
    if (!stream.sealed()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "the stream is not sealed yet: " + stream + ", chunks=" + stream.chunkSums().size());
    }
    return stream;
  }

  /** Whether the stream is the caller's own, or the caller may act on all. */
  public static boolean mayUse(StreamState stream, Caller caller) {
    return caller.superuser() || caller.user().equals(stream.owner());
  }

  /** Refuses with PERMISSION_DENIED a caller that may not use the stream. */
  public static void checkOwner(StreamState stream, Caller caller) throws VdfsException {
    if (!mayUse(stream, caller)) {
      throw new VdfsException(
          ErrorCode.PERMISSION_DENIED,
          "the stream belongs to another user: %s, owner=%s, caller=%s"
              .formatted(stream, stream.owner(), caller.user()));
    }
  }

  /**
   * The list of a task.
   *
   * @throws VdfsException INVALID_ARGUMENT if the stream has no such task
   */
  public static TaskList task(StreamState stream, int task) throws VdfsException {
    if (task < 0 || task >= stream.taskCount()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "no such task: %s, task=%s, tasks=%s"
              .formatted(stream, Integer.toUnsignedString(task), stream.taskCount()));
    }
    return stream.task(task);
  }
}
