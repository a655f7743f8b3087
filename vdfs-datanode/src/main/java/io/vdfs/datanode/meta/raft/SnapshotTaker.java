package io.vdfs.datanode.meta.raft;

import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.metrics.Counters;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.raft.disk.SnapshotFiles;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;

/**
 * Takes snapshots while requests go on: the metadata loop makes an image of the state, a thread of
 * its own writes that, and when Ratis asks next, it is found written and becomes a snapshot. Ratis
 * asks after each log entry until it hears of one. Confined to the thread on which Ratis takes and
 * loads snapshots.
 */
final class SnapshotTaker {
  private final SnapshotFiles files;
  private final ReplicatedState state;
  private final MetadataLoop loop;
  private final Counters<GroupCounter> counters;
  private CompletableFuture<SnapshotFiles.Draft> writing; // null where none is being written

  private record Moment(TermIndex applied, ReplicatedState.Image image) {}

  SnapshotTaker(
      SnapshotFiles files,
      ReplicatedState state,
      MetadataLoop loop,
      Counters<GroupCounter> counters) {
    this.files = files;
    this.state = state;
    this.loop = loop;
    this.counters = counters;
  }

  /**
   * Goes on with a snapshot or begins one.
   *
   * @param applied gives what the state stands as of; called on the loop
   * @return index of a snapshot that is done now; negative while there is none
   */
  long goOn(Callable<TermIndex> applied) throws IOException {
    if (writing == null) {
      begin(applied);
      return RaftLog.INVALID_LOG_INDEX;
    }
    return writing.isDone() ? finish() : RaftLog.INVALID_LOG_INDEX;
  }

  /** Takes a snapshot of what the state is now, and waits for it. */
  long take(Callable<TermIndex> applied) throws IOException {
    abandon();
    begin(applied);
    return writing == null ? RaftLog.INVALID_LOG_INDEX : finish();
  }

  private void begin(Callable<TermIndex> applied) throws IOException {
    long start = System.nanoTime();
    Moment moment = join(loop.call(() -> new Moment(applied.call(), state.image())));
    counters.add(
        GroupCounter.SNAPSHOT_PAUSE_MICROS,
        TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - start));
    if (moment.applied().getIndex() < 0) {
      return;
    }
    CompletableFuture<SnapshotFiles.Draft> draft = new CompletableFuture<>();
    Thread writer = DaemonThreads.of("vdfs-metadata-snapshot", () -> write(moment, draft));
    writing = draft;
    writer.start();
  }

  private void write(Moment moment, CompletableFuture<SnapshotFiles.Draft> draft) {
    try {
      draft.complete(files.write(moment.image(), moment.applied()));
    } catch (IOException | RuntimeException e) {
      draft.completeExceptionally(e);
    }
  }

  private long finish() throws IOException {
    try {
      SnapshotFiles.Draft draft = join(writing);
      files.publish(draft);
      counters.increment(GroupCounter.SNAPSHOTS);
      return draft.applied().getIndex();
    } finally {
      writing = null;
    }
  }

  /** Forgets a snapshot that is being written, once that has ended. */
  void abandon() {
    if (writing != null) {
      writing.handle((draft, error) -> draft).join();
      writing = null;
    }
  }

  private static <T> T join(CompletableFuture<T> future) throws IOException {
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw e;
    }
  }
}
