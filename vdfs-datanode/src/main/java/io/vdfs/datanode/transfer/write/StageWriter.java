package io.vdfs.datanode.transfer.write;

import io.netty.util.concurrent.EventExecutor;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WritePacket;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The local half of a pipeline stage: opens, writes and ends one group, in order, on the disk
 * executor. Called on the event loop; outcomes come back there.
 */
final class StageWriter {
  private static final Logger LOG = LoggerFactory.getLogger(StageWriter.class);

  /** Hears of the outcomes on the event loop. */
  interface Listener {
    void onWriterOpen();

    /**
     * The store has taken a packet.
     *
     * @param bytes of the packet
     * @param room when the client should hear of it, unless it hears of a later packet before
     */
    void onWritten(long sequence, int bytes, CompletableFuture<Void> room);

    void onWriteFailed(VdfsException failure);

    /** The writer was given up, and nothing waits for the disk any more. */
    void onWriterGone();
  }

  private final BlockStore store;
  private final SerialExecutor inOrder;
  private final EventExecutor loop;
  private final Listener listener;

  /**
   * Set when waiting packets are to be skipped, as the writer is given up or useless after an
   * exception.
   */
  private volatile boolean over;

  /** Confined to the ordered disk work. */
  private BlockWriter writer;

  StageWriter(BlockStore store, Executor disk, EventExecutor loop, Listener listener) {
    this.store = store;
    this.inOrder = new SerialExecutor(disk);
    this.loop = loop;
    this.listener = listener;
  }

  void open(FileKey file, WriteOpen request) {
    run(
        () -> {
          writer =
              store.openWriter(
                  file,
                  request.getPrimary() ? BlockRole.PRIMARY : BlockRole.REPLICA,
                  Integer.toUnsignedLong(request.getWriteEpoch()),
                  request.getStartOffset(),
                  request.getGroup(),
                  WireIds.leaseBound(request.getLease()),
                  request.getTicket().getLastDeletion(),
                  Integer.toUnsignedLong(request.getBytes()));
          return listener::onWriterOpen;
        },
        () -> {});
  }

  /**
   * @param chunks of the packet
   * @param release run once, when their bytes are not needed any more
   */
  void write(WritePacket packet, VerifiedChunks chunks, Runnable release) {
    int bytes = chunks.length();
    run(
        () -> {
          if (bytes > 0) {
            writer.append(packet.getOffset(), chunks);
          }
          CompletableFuture<Void> room = complete(packet);
          return () -> listener.onWritten(packet.getSequence(), bytes, room);
        },
        release);
  }

  /**
   * Skips what waits and lets the writer go, leaving what is visible; {@link Listener#onWriterGone}
   * follows, or comes at once.
   */
  void abandon() {
    over = true;
    try {
      inOrder.execute(this::abandonWriter);
    } catch (RejectedExecutionException e) {
      LOG.warn("writer is left to the closing of the store: {}", e.getMessage());
      listener.onWriterGone();
    }
  }

  private void abandonWriter() {
    try {
      if (writer != null) {
        writer.abandon();
        writer = null;
      }
    } finally {
      loop.execute(listener::onWriterGone);
    }
  }

  /** Only packets whose acknowledgement the client does not wait for are acknowledged late. */
  private CompletableFuture<Void> complete(WritePacket packet) throws VdfsException {
    boolean prompt = packet.getLast() || packet.getSync() || packet.getAwaited();
    CompletableFuture<Void> room = prompt ? CompletableFuture.completedFuture(null) : writer.room();
    if (packet.getLast()) {
      writer.close(packet.getSync());
      writer = null;
    } else if (packet.getSync()) {
      writer.sync();
    } else if (packet.getFlush()) {
      writer.checkpoint();
    }
    return room;
  }

  private void run(DiskStep step, Runnable cleanup) {
    try {
      inOrder.execute(() -> runOnDisk(step, cleanup));
    } catch (RejectedExecutionException e) {
      cleanup.run();
      report(new VdfsException(ErrorCode.UNAVAILABLE, "the node is stopping or overloaded", e));
    }
  }

  private void runOnDisk(DiskStep step, Runnable cleanup) {
    try {
      if (!over) {
        loop.execute(step.run());
      }
    } catch (VdfsException | RuntimeException | Error e) {
      over = true;
      report(Causes.asVdfs(e));
    } finally {
      cleanup.run();
    }
  }

  private void report(VdfsException failure) {
    loop.execute(() -> listener.onWriteFailed(failure));
  }

  /** Returns what is to be done on the event loop afterwards. */
  @FunctionalInterface
  private interface DiskStep {
    Runnable run() throws VdfsException;
  }
}
