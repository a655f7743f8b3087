package io.vdfs.datanode.ledger;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.ChunkSumsSlice;
import io.vdfs.common.wire.proto.FilesSlice;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.PoolSlice;
import io.vdfs.common.wire.proto.StreamCreatedRecord;
import io.vdfs.common.wire.proto.StreamSealedRecord;
import io.vdfs.common.wire.proto.TaskSlice;
import java.util.function.Consumer;

/**
 * Writes a stream as records from which replay makes the same state: created, files, pools, lists,
 * chunk sums, sealed. Equal states give equal records, byte for byte. Each record stays well below
 * a megabyte. Pure.
 */
final class StreamSnapshot {
  private static final int FILES_PER_SLICE = 1000;
  private static final int RUNS_PER_SLICE = 8192;

  private final StreamState stream;
  private final ByteString id;
  private final Consumer<LedgerRecord> sink;

  StreamSnapshot(StreamState stream, Consumer<LedgerRecord> sink) {
    this.stream = stream;
    this.id = ByteString.copyFrom(stream.id().toBytes());
    this.sink = sink;
  }

  void write() {
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
    ChunkSumsSlice.Builder sums = ChunkSumsSlice.newBuilder().addAllSums(stream.chunkSums());
    sink.accept(record().setChunkSumsSlice(sums).build());
    if (stream.sealed()) {
      StreamSealedRecord.Builder sealed =
          StreamSealedRecord.newBuilder().setExpiresMillis(stream.expiresMillis());
      sink.accept(record().setSealed(sealed).build());
    }
  }

  private void writeFiles() {
    FileTable files = stream.files();
    for (int from = 0; from < files.size(); from += FILES_PER_SLICE) {
      FilesSlice.Builder slice = FilesSlice.newBuilder();
      int to = Math.min(files.size(), from + FILES_PER_SLICE);
      for (int index = from; index < to; index++) {
        slice.addFiles(files.toMessage(index));
      }
      sink.accept(record().setFilesSlice(slice).build());
    }
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
              .setStopped(list.stopped());
      sink.accept(record().setTaskSlice(flags).build());
    }
  }

  private LedgerRecord.Builder record() {
    return LedgerRecord.newBuilder().setStreamId(id);
  }
}
