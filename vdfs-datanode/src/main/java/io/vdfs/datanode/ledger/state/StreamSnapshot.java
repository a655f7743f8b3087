package io.vdfs.datanode.ledger.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.ChunkSumsSlice;
import io.vdfs.common.wire.proto.FilesSlice;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.PoolSlice;
import io.vdfs.common.wire.proto.StreamCreatedRecord;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamSealedRecord;
import io.vdfs.common.wire.proto.TaskSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes a stream as records from which replay makes the same state: created, files, pools, lists,
 * chunk sums, sealed. Equal states give equal records, byte for byte. Each record stays well below
 * a megabyte, save the first one, which has the header as it came in its request. Pure.
 */
public final class StreamSnapshot {
  private static final int FILE_BYTES_PER_SLICE = 256 << 10;
  private static final int RUNS_PER_SLICE = 8192;

  private final StreamState stream;
  private final ByteString id;
  private final Consumer<LedgerRecord> sink;

  /** A snapshot of a stream, which must not change until the records are written. */
  public StreamSnapshot(StreamState stream, Consumer<LedgerRecord> sink) {
    this.stream = stream;
    this.id = ByteString.copyFrom(stream.id().toBytes());
    this.sink = sink;
  }

  /** Hands all records over, in the order in which they are to be replayed. */
  public void write() {
    StreamCreatedRecord.Builder created =
        StreamCreatedRecord.newBuilder()
            .setOwner(stream.owner())
            .setHeader(stream.header())
            .setExpiresMillis(stream.expiresMillis());
    sink.accept(record().setCreated(created).build());
    writeFiles();
    for (int node = 0; node < stream.nodes(); node++) {
      writePool(node);
    }
    stream.lists().forEach(this::writeTask);
    writeChunkSums();
    if (stream.sealed()) {
      StreamSealedRecord.Builder sealed =
          StreamSealedRecord.newBuilder()
              .setExpiresMillis(stream.expiresMillis())
              .setSealedMillis(stream.arrival().sealedMillis())
              .setYieldsReceived(stream.yieldsReceived())
              .setLastYieldedTo(stream.lastYieldedTo().toMessage())
              .setYieldsLeft(stream.yieldsLeft())
              .setBegun(stream.begun());
      sink.accept(record().setSealed(sealed).build());
    }
  }

  /** A file with very many ranges goes on in the next slice, as it may in the next chunk. */
  private void writeFiles() {
    FilesSlice.Builder slice = FilesSlice.newBuilder();
    int bytes = 0;
    for (int index = 0; index < stream.files().size(); index++) {
      for (StreamFile part : parts(index)) {
        if (bytes + part.getSerializedSize() > FILE_BYTES_PER_SLICE && bytes > 0) {
          sink.accept(record().setFilesSlice(slice).build());
          slice.clear();
          bytes = 0;
        }
        slice.addFiles(part);
        bytes += part.getSerializedSize();
      }
    }
    if (bytes > 0) {
      sink.accept(record().setFilesSlice(slice).build());
    }
  }

  private List<StreamFile> parts(int index) {
    FileTable files = stream.files();
    int ranges = files.file(index).ranges();
    List<StreamFile> parts = new ArrayList<>();
    for (int from = 0; from == 0 || from < ranges; from += RUNS_PER_SLICE) {
      parts.add(files.toMessage(index, from, Math.min(ranges, from + RUNS_PER_SLICE)));
    }
    return parts;
  }

  private void writePool(int node) {
    RangeDeque pool = stream.pool(node);
    for (int from = 0; from < pool.ranges(); from += RUNS_PER_SLICE) {
      PoolSlice.Builder slice = PoolSlice.newBuilder().setNode(node);
      int to = Math.min(pool.ranges(), from + RUNS_PER_SLICE);
      for (int index = from; index < to; index++) {
        BlockRange range = pool.range(index);
        slice.addCells(range.file()).addCells(range.first()).addCells(range.count());
      }
      sink.accept(record().setPoolSlice(slice).build());
    }
  }

  private void writeTask(int task, TaskList list) {
    for (int from = 0; from < list.size(); from += RUNS_PER_SLICE) {
      TaskSlice.Builder slice = TaskSlice.newBuilder().setTask(task);
      int to = Math.min(list.size(), from + RUNS_PER_SLICE);
      for (int position = from; position < to; position++) {
        OwnedRun run = list.run(position);
        BlockRange range = run.range();
        slice.addCells(range.file()).addCells(range.first()).addCells(range.count());
        slice.addCells(run.pool()).addCells(run.taker() + 1);
      }
      sink.accept(record().setTaskSlice(slice).build());
    }
    if (list.closed() || list.finished()) {
      TaskSlice.Builder flags =
          TaskSlice.newBuilder()
              .setTask(task)
              .setClosed(list.closed())
              .setFinished(list.finished())
              .setStopped(list.stopped())
              .setYielded(list.yielded());
      sink.accept(record().setTaskSlice(flags).build());
    }
  }

  private void writeChunkSums() {
    List<Long> sums = stream.chunkSums();
    for (int from = 0; from < sums.size(); from += RUNS_PER_SLICE) {
      int to = Math.min(sums.size(), from + RUNS_PER_SLICE);
      ChunkSumsSlice.Builder slice = ChunkSumsSlice.newBuilder().addAllSums(sums.subList(from, to));
      sink.accept(record().setChunkSumsSlice(slice).build());
    }
  }

  private LedgerRecord.Builder record() {
    return LedgerRecord.newBuilder().setStreamId(id);
  }
}
