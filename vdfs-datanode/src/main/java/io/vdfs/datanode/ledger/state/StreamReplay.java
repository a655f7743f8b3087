package io.vdfs.datanode.ledger.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.proto.ChunkAddedRecord;
import io.vdfs.common.wire.proto.FilesSlice;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.PoolSlice;
import io.vdfs.common.wire.proto.RunTakenRecord;
import io.vdfs.common.wire.proto.StreamCreatedRecord;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamSealedRecord;
import io.vdfs.common.wire.proto.TaskClosedRecord;
import io.vdfs.common.wire.proto.TaskSlice;
import java.util.List;

/**
 * The only place where streams change. A record that does not fit the state means that replicas
 * differ or a log is damaged: the caller must stop rather than go on. Confined to the ledger's
 * owner.
 */
public final class StreamReplay {
  private final StreamTable streams;

  /** A replay that changes these streams. */
  public StreamReplay(StreamTable streams) {
    this.streams = streams;
  }

  /**
   * Applies a record of an outcome or of a snapshot.
   *
   * @throws IllegalStateException if the record does not fit the state, which is then unchanged
   */
  public void replay(LedgerRecord record) {
    StreamId id = StreamId.of(record.getStreamId().toByteArray());
    if (record.getRecordCase() == LedgerRecord.RecordCase.CREATED) {
      fits(streams.find(id) == null, record);
      create(id, record.getCreated());
      return;
    }
    StreamState stream = streams.find(id);
    fits(stream != null, record);
    if (record.getRecordCase() == LedgerRecord.RecordCase.DROPPED) {
      streams.remove(id);
      return;
    }
    long before = stream.memory();
    change(stream, record);
    streams.addMemory(stream.owner(), stream.memory() - before);
    streams.waiting().update(stream);
  }

  private void change(StreamState stream, LedgerRecord record) {
    switch (record.getRecordCase()) {
      case CHUNK_ADDED -> addChunk(stream, record);
      case SEALED -> {
        fits(!stream.sealed(), record);
        seal(stream, record.getSealed());
      }
      case RUN_TAKEN -> take(stream, record);
      case TASK_CLOSED -> close(stream, record);
      case TASK_FINISHED -> {
        stream.finish(record.getTaskFinished().getTask());
        stream.keepUntil(record.getTaskFinished().getExpiresMillis());
      }
      case LEASE_EXTENDED -> {
        stream.keepUntil(record.getLeaseExtended().getExpiresMillis());
        if (record.getLeaseExtended().getBegins()) {
          stream.begin();
        }
      }
      case FILES_SLICE -> restoreFiles(stream, record.getFilesSlice());
      case POOL_SLICE -> restorePool(stream, record.getPoolSlice());
      case TASK_SLICE -> restoreTask(stream, record.getTaskSlice());
      case CHUNK_SUMS_SLICE ->
          record.getChunkSumsSlice().getSumsList().forEach(stream::addChunkSum);
      default -> throw new IllegalStateException("unknown ledger record: " + describe(record));
    }
  }

  private void create(StreamId id, StreamCreatedRecord record) {
    streams.put(
        new StreamState(id, record.getOwner(), record.getHeader(), record.getExpiresMillis()));
  }

  private static void addChunk(StreamState stream, LedgerRecord record) {
    ChunkAddedRecord chunk = record.getChunkAdded();
    fits(!stream.sealed() && chunk.getChunkIndex() == stream.chunkSums().size(), record);
    for (StreamFile file : chunk.getFilesList()) {
      stream.pin(file);
      GroupParts.forEach(
          file,
          stream.header().getGroupBlocks(),
          (node, first, count) -> stream.addToPool(node, file.getIndex(), first, count));
    }
    stream.addChunkSum(chunk.getSum());
    stream.keepUntil(chunk.getExpiresMillis());
  }

  private static void take(StreamState stream, LedgerRecord record) {
    RunTakenRecord taken = record.getRunTaken();
    TaskList list = stream.task(taken.getTask());
    fits(stream.sealed() && !list.closed() && taken.getPosition() == list.size(), record);
    BlockRange range =
        new BlockRange(taken.getFileIndex(), taken.getFirstBlock(), taken.getBlockCount());
    RangeDeque pool = stream.pool(taken.getPool());
    fits(pool.contains(range), record);
    OwnedRun run = new OwnedRun(range, taken.getPool(), taken.getTaker() - 1);
    stream.take(taken.getTask(), run);
    stream.keepUntil(taken.getExpiresMillis());
  }

  private static void seal(StreamState stream, StreamSealedRecord sealed) {
    stream.seal(sealed.getSealedMillis());
    stream.keepUntil(sealed.getExpiresMillis());
    if (sealed.hasLastYieldedTo()) {
      stream.restoreYields(
          sealed.getYieldsReceived(),
          StreamArrival.of(sealed.getLastYieldedTo()),
          sealed.getYieldsLeft());
    }
    if (sealed.getBegun()) {
      stream.begin();
    }
  }

  private void close(StreamState stream, LedgerRecord record) {
    TaskClosedRecord closed = record.getTaskClosed();
    if (closed.getStopped()) {
      stream.stop(closed.getTask());
    } else if (!closed.getYieldedTo().isEmpty()) {
      StreamState to = streams.find(StreamId.of(closed.getYieldedTo().toByteArray()));
      fits(to != null, record);
      stream.yieldTo(closed.getTask(), to.arrival(), closed.getYieldsLeft());
      to.receiveYield();
      streams.waiting().update(to);
    } else {
      stream.close(closed.getTask());
    }
    stream.keepUntil(closed.getExpiresMillis());
  }

  private static void restoreFiles(StreamState stream, FilesSlice slice) {
    slice.getFilesList().forEach(stream::pin);
  }

  private static void restorePool(StreamState stream, PoolSlice slice) {
    List<Integer> cells = slice.getCellsList();
    for (int at = 0; at < cells.size(); at += 3) {
      stream.addToPool(slice.getNode(), cells.get(at), cells.get(at + 1), cells.get(at + 2));
    }
  }

  private static void restoreTask(StreamState stream, TaskSlice slice) {
    List<Integer> cells = slice.getCellsList();
    for (int at = 0; at < cells.size(); at += 5) {
      BlockRange range = new BlockRange(cells.get(at), cells.get(at + 1), cells.get(at + 2));
      stream.own(slice.getTask(), new OwnedRun(range, cells.get(at + 3), cells.get(at + 4) - 1));
    }
    if (slice.getClosed()) {
      stream.close(slice.getTask());
    }
    if (slice.getYielded()) {
      stream.restoreYielded(slice.getTask());
    }
    if (slice.getFinished()) {
      stream.finish(slice.getTask());
    }
    if (slice.getStopped()) {
      stream.stop(slice.getTask());
    }
  }

  private static void fits(boolean condition, LedgerRecord record) {
    if (!condition) {
      throw new IllegalStateException("ledger record does not fit the state: " + describe(record));
    }
  }

  private static String describe(LedgerRecord record) {
    ByteString id = record.getStreamId();
    String stream =
        id.size() == StreamId.BYTES
            ? StreamId.of(id.toByteArray()).toString()
            : "of " + id.size() + " bytes";
    String detail = record.hasRunTaken() ? ", " + record.getRunTaken() : "";
    return "stream=" + stream + ", record=" + record.getRecordCase() + detail;
  }
}
