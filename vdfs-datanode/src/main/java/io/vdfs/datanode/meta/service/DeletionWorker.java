package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.FileRemover;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes from this node what was deleted from the namespace: asks the leader, removes, makes that
 * durable, tells the leader how far it got. Room is free at once; forces cost a disk that reads
 * several changes of place, so removals gather for a while or up to a page before they are forced
 * and acknowledged. What can't be removed is passed over, so that the rest goes on; then nothing
 * beyond it is acknowledged until a later walk over the same deletions removed it. After a restart
 * it begins at what the leader still lists; removing twice does no harm, as file keys are never
 * used again. Confined to its loop, which waits for the disk.
 */
public final class DeletionWorker {
  private static final Logger LOG = LoggerFactory.getLogger(DeletionWorker.class);

  /** Files asked for at a time. */
  static final int PAGE = 500;

  private final NodeId self;
  private final Function<MetaRequest, CompletableFuture<MetaResponse>> leader;
  private final FileRemover remover;
  private final Duration period;
  private final Duration gathering;
  private final ServiceLoop loop;

  private static final long NONE = Long.MAX_VALUE;

  /** Most polls without a deletion until what failed is tried again. */
  private static final int MOST_PAUSES = 128;

  // confined to the loop
  private long done; // acknowledged up to here
  private long seen; // tried up to here
  private long forced; // all up to here is durable, as far as it was removed
  private long unforcedSince; // by the loop's clock, where seen is beyond forced
  private long failed = NONE; // the first that was not removed
  private int pauses = 1; // polls without a deletion until the next try
  private int paused;
  private volatile long missed;
  private volatile boolean stopped;

  /**
   * @param leader takes requests to the leader as the daemon's own user; errors are in responses
   * @param period between polls when there is nothing to do
   * @param gathering how long removals wait for others before they are forced
   * @param loop of this worker alone
   */
  public DeletionWorker(
      NodeId self,
      Function<MetaRequest, CompletableFuture<MetaResponse>> leader,
      FileRemover remover,
      Duration period,
      Duration gathering,
      ServiceLoop loop) {
    this.self = self;
    this.leader = leader;
    this.remover = remover;
    this.period = period;
    this.gathering = gathering;
    this.loop = loop;
  }

  public void start() {
    loop.execute(this::poll);
  }

  /** Deletions that the leader no longer lists, though this node never acknowledged them. */
  public long missed() {
    return missed;
  }

  /** Ends the work after the file at hand. */
  public void stop() {
    stopped = true;
  }

  private void poll() {
    if (stopped) {
      return;
    }
    PollDeletionsQuery query =
        PollDeletionsQuery.newBuilder()
            .setNode(WireIds.encode(self))
            .setAfter(seen)
            .setLimit(PAGE)
            .build();
    var unused =
        leader
            .apply(MetaRequest.newBuilder().setPollDeletions(query).build())
            .whenCompleteAsync(
                (response, error) -> {
                  if (error != null || response.hasError()) {
                    later();
                  } else {
                    missed = response.getDeletions().getMissed();
                    onDeletions(response.getDeletions().getDeletionsList());
                  }
                },
                loop);
  }

  private void later() {
    loop.schedule(period, this::poll);
  }

  private void onDeletions(List<DeletionProto> deletions) {
    if (!deletions.isEmpty() && seen == forced) {
      unforcedSince = loop.nanoTime();
    }
    for (DeletionProto deletion : deletions) {
      if (stopped) {
        return;
      }
      if (!remove(deletion)) {
        failed = Math.min(failed, deletion.getSequence());
      }
      seen = deletion.getSequence();
    }
    boolean waitedLong = loop.nanoTime() - unforcedSince >= gathering.toNanos();
    if (seen > forced && (waitedLong || seen - forced >= PAGE)) {
      settle();
    } else if (deletions.isEmpty()) {
      pause();
    } else {
      later();
    }
  }

  /** Makes what was removed durable, and acknowledges that. */
  private void settle() {
    if (force()) {
      forced = seen;
    } else {
      failed = Math.min(failed, forced + 1);
      forced = seen; // only a later walk tries again
    }
    long reached = Math.min(seen, failed - 1);
    if (reached > done) {
      acknowledge(reached);
    } else {
      poll();
    }
  }

  /** There is nothing to do, except what failed; what gathers is forced first. */
  private void pause() {
    if (failed != NONE && seen == forced) {
      paused++;
      if (paused >= pauses) {
        paused = 0;
        pauses = Math.min(2 * pauses, MOST_PAUSES);
        beginAgain();
      }
    }
    later();
  }

  private void beginAgain() {
    seen = done;
    forced = done;
    failed = NONE;
  }

  private boolean remove(DeletionProto deletion) {
    FileKey file = new FileKey(deletion.getFile().getFileId(), deletion.getFile().getGeneration());
    try {
      remover.remove(file);
      return true;
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "deleted file not removed, will try again: file={}, sequence={}",
          file,
          deletion.getSequence(),
          e);
      return false;
    }
  }

  private boolean force() {
    try {
      remover.force(seen);
      return true;
    } catch (IOException | RuntimeException e) {
      if (failed == NONE) {
        LOG.warn("removals are not durable, will try again: acknowledged={}", done, e);
      }
      return false;
    }
  }

  private void acknowledge(long reached) {
    AckDeletionsOp ack =
        AckDeletionsOp.newBuilder().setNode(WireIds.encode(self)).setSequence(reached).build();
    var unused =
        leader
            .apply(MetaRequest.newBuilder().setAckDeletions(ack).build())
            .whenCompleteAsync(
                (response, error) -> {
                  if (error != null || response.hasError()) {
                    beginAgain();
                    later();
                  } else {
                    done = reached;
                    pauses = 1;
                    poll();
                  }
                },
                loop);
  }
}
