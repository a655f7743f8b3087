package io.vdfs.datanode.store.group;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.file.FilePair;
import io.vdfs.datanode.store.file.OpenSlot;
import io.vdfs.datanode.store.index.BlockEntry;
import io.vdfs.datanode.store.status.StoreCounter;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a group: blocks that are held where they lie, new ones into one combined file. Called by
 * one thread at a time; a fence or deletion may come from another, so all state is guarded by the
 * guard of the stored file.
 *
 * <pre>
 *          +--close, abandon--> CLOSED
 *   OPEN --+--fence by a later writer--> FENCED
 *          +--deletion--> DELETED
 *          +--failed write--> FAILED
 * </pre>
 */
final class GroupWriter implements BlockWriter, OpenWriter {
  private static final Logger LOG = LoggerFactory.getLogger(GroupWriter.class);

  private enum State {
    OPEN,
    FENCED,
    DELETED,
    FAILED,
    CLOSED
  }

  private final StoredFile file;
  private final FileSettling settling;
  private final CombinedFile combined;
  private final Set<CombinedFile> files;
  private final int group;
  private final long epoch;
  private final long groupStart;
  private final long groupEnd;
  private final int chunkSize;
  private final int blockSize;
  private State state = State.OPEN;
  private OpenSlot current;

  /** The slot of the block that was filled up last, if none is being filled. */
  private Optional<OpenSlot> filled = Optional.empty();

  private long position;
  private boolean appended;
  private volatile long held;

  /**
   * @param combined takes the blocks that are not held
   * @param holding what else holds blocks of the group
   * @param startOffset where the first packet begins
   */
  GroupWriter(
      StoredFile file,
      CombinedFile combined,
      Set<CombinedFile> holding,
      int group,
      long epoch,
      long startOffset) {
    this.file = file;
    this.settling = new FileSettling(file);
    this.combined = combined;
    this.files = new LinkedHashSet<>(holding);
    this.files.add(combined);
    this.group = group;
    this.epoch = epoch;
    this.groupStart = file.groupStart(group);
    this.groupEnd = groupStart + file.geometry().groupSize();
    this.chunkSize = file.geometry().chunkSize();
    this.blockSize = file.geometry().blockSize();
    this.position = startOffset;
    this.held = groupStart + file.heldLength(group);
  }

  @Override
  public long epoch() {
    return epoch;
  }

  @Override
  public long visibleLength() {
    return held;
  }

  @Override
  public void append(long offset, VerifiedChunks packet) throws VdfsException {
    checkPacket(offset, packet);
    file.guard().run(() -> appendChecked(offset, packet));
  }

  @Override
  public CompletableFuture<Void> room() {
    return combined.volume().writeBack().room();
  }

  private void appendChecked(long offset, VerifiedChunks packet) throws VdfsException {
    checkOpen();
    if (offset > position) {
      throw invalid("packet leaves a hole: position=" + position, offset, packet.length());
    }
    long end = offset + packet.length();
    reconcile(offset, packet);
    if (end > held) {
      orFail(() -> store(offset, packet));
    }
    position = Math.max(position, end);
    appended = true;
    file.counters().increment(StoreCounter.APPENDS);
    files.forEach(settling::writeBackIfDue);
  }

  private void checkPacket(long offset, VerifiedChunks packet) throws VdfsException {
    if (packet.length() == 0 || offset % chunkSize != 0) {
      throw invalid(
          "packet must start on a chunk boundary and not be empty", offset, packet.length());
    }
    if (offset < groupStart || offset + packet.length() > groupEnd) {
      throw invalid(
          "packet leaves its group: from=" + groupStart + ", to=" + groupEnd,
          offset,
          packet.length());
    }
    if (packet.chunkSize() != chunkSize) {
      throw invalid(
          "packet has chunks of another size: chunkSize=%s, expected=%s"
              .formatted(packet.chunkSize(), chunkSize),
          offset,
          packet.length());
    }
  }

  private VdfsException invalid(String what, long offset, int length) {
    return new VdfsException(
        ErrorCode.INVALID_ARGUMENT,
        "%s, file=%s, group=%s, offset=%s, length=%s"
            .formatted(what, file.key(), group, offset, length));
  }

  /** Compares a packet with what is held of its range, and drops what is not this writer's. */
  private void reconcile(long offset, VerifiedChunks packet) throws VdfsException {
    ByteBuffer data = packet.data();
    for (int chunk = 0; chunk < packet.checksums().count(); chunk++) {
      long chunkStart = offset + (long) chunk * chunkSize;
      if (chunkStart >= held) {
        return;
      }
      int from = data.position() + chunk * chunkSize;
      ByteBuffer sent = data.slice(from, Math.min(chunkSize, data.limit() - from));
      if (!sameAsHeld(chunkStart, sent)) {
        if (chunkStart < position) {
          throw invalid("packet repeats other bytes at " + chunkStart, offset, packet.length());
        }
        orFail(() -> cut(chunkStart));
        return;
      }
    }
  }

  /**
   * Whether what is held from {@code chunkStart} on and the bytes sent agree where they overlap.
   */
  private boolean sameAsHeld(long chunkStart, ByteBuffer sent) throws VdfsException {
    BlockEntry entry =
        file.block(chunkStart / blockSize)
            .orElseThrow(() -> invalid("block is not held", chunkStart, sent.remaining()));
    int inBlock = (int) (chunkStart % blockSize);
    int there = Math.min(chunkSize, entry.length() - inBlock);
    int known = entry.checksums().get(inBlock / chunkSize);
    file.counters().increment(StoreCounter.SUMMED_CHUNKS);
    if (there <= sent.remaining()) {
      return Crc32c.of(sent.slice(0, there)) == known;
    }
    ByteBuffer stored = ByteBuffer.allocate(there);
    FilePair from = file.combinedFileOf(entry).files();
    from.read(stored, from.layout().dataOffset(entry.slot()) + inBlock);
    stored.flip();
    return Crc32c.of(stored) == known && stored.slice(0, sent.remaining()).equals(sent.slice());
  }

  private void cut(long end) throws VdfsException {
    new GroupCut(file, group, epoch).cutTo(end - groupStart);
    current = null;
    filled = Optional.empty();
    held = end;
  }

  private void store(long offset, VerifiedChunks packet) throws VdfsException {
    ByteBuffer data = packet.data();
    long end = offset + data.remaining();
    while (held < end) {
      long block = held / blockSize;
      long blockStart = block * blockSize;
      long to = Math.min(end, blockStart + blockSize);
      long firstChunk = held / chunkSize * chunkSize;
      OpenSlot slot = slotFor(block);
      slot.extend(
          (int) (held - blockStart),
          data.slice(data.position() + (int) (held - offset), (int) (to - held)),
          packet
              .checksums()
              .range(
                  (int) (firstChunk - offset) / chunkSize,
                  ChunkChecksums.countFor((int) (to - offset), chunkSize)));
      // readers see no less than a footer may say, or a later writer would miss what is there
      file.publish(slot);
      if (slot.length() == blockSize) {
        slot.finish();
        file.publish(slot);
        filled = Optional.of(slot);
        current = null;
      }
      held = to;
    }
  }

  private OpenSlot slotFor(long block) throws VdfsException {
    if (current == null || current.block() != block) {
      Optional<BlockEntry> entry = file.block(block);
      current =
          entry.isPresent()
              ? file.combinedFileOf(entry.get()).reopen(block, entry.get(), epoch)
              : combined.newSlot(block, epoch, file.lastSequence(block));
    }
    return current;
  }

  @Override
  public void checkpoint() throws VdfsException {
    file.guard()
        .run(
            () -> {
              checkOpen();
              writeFooter();
            });
  }

  private void writeFooter() throws VdfsException {
    if (current != null) {
      file.counters().increment(StoreCounter.CHECKPOINTS);
      orFail(
          () -> {
            current.writeFooter();
            file.publish(current);
          });
    }
  }

  @Override
  public void sync() throws VdfsException {
    checkpoint();
    file.counters().increment(StoreCounter.SYNCS);
    force(false);
    file.guard().run(this::checkOpen);
  }

  /** Bytes that an earlier writer left in the group without a force are forced as well. */
  private void force(boolean closing) throws VdfsException {
    try {
      for (CombinedFile written : files) {
        if (closing) {
          settling.settleClosed(written);
        } else {
          settling.settle(written);
        }
      }
    } catch (VdfsException e) {
      file.guard().run(() -> end(State.FAILED));
      throw e;
    }
  }

  @Override
  public void close(boolean sync) throws VdfsException {
    file.guard().run(this::endInOrder);
    boolean forced = sync || files.stream().anyMatch(GroupWriter::isWriteBackFull);
    if (forced) {
      file.counters().increment(StoreCounter.SYNCS);
      force(true);
    }
    file.guard()
        .run(
            () -> {
              checkOpen();
              end(State.CLOSED);
            });
    if (!forced) {
      files.forEach(settling::writeBackLater);
    }
  }

  private static boolean isWriteBackFull(CombinedFile written) {
    return written.volume().writeBack().isFull();
  }

  private void endInOrder() throws VdfsException {
    checkOpen();
    if (appended && position < held) {
      orFail(() -> cut(position));
    }
    orFail(this::endGroup);
  }

  /**
   * The group is not written in this epoch again: the last footer says so, or else the index, and
   * the force that is to come covers either.
   */
  private void endGroup() throws VdfsException {
    long next = epoch + 1;
    Optional<OpenSlot> last = current == null ? filled.filter(this::isOpen) : Optional.of(current);
    if (last.isPresent()) {
      file.counters().increment(StoreCounter.CHECKPOINTS);
      last.get().raiseFence(next);
      file.finish(last.get());
      current = null;
      file.noteFence(group, next);
    } else {
      file.raiseFence(group, next, combined, false);
    }
  }

  private boolean isOpen(OpenSlot slot) {
    return files.stream().anyMatch(written -> written.isOpen(slot));
  }

  private void finishCurrent() throws VdfsException {
    if (current != null) {
      file.counters().increment(StoreCounter.CHECKPOINTS);
      file.finish(current);
      current = null;
    }
  }

  @Override
  public void abandon() {
    file.guard().run(() -> end(State.CLOSED));
    files.forEach(settling::writeBack);
  }

  @Override
  public void onFenced() {
    end(State.FENCED);
  }

  @Override
  public void onDeleted() {
    state = State.DELETED;
    current = null;
  }

  private void end(State as) {
    if (state != State.OPEN) {
      return;
    }
    state = as;
    try {
      if (current != null) {
        file.restore(current);
      }
      finishCurrent();
    } catch (VdfsException e) {
      // no caller was promised these bytes; the next writer tries again
      LOG.warn(
          "bytes without footer: file={}, group={}, cause={}", file.key(), group, e.getMessage());
    } finally {
      if (current != null) {
        file.restore(current);
        current = null;
      }
      file.unregister(group, this);
    }
  }

  private void checkOpen() throws VdfsException {
    if (state != State.OPEN) {
      throw new VdfsException(
          code(),
          "writer is over: file=%s, group=%s, epoch=%s, state=%s"
              .formatted(file.key(), group, epoch, state));
    }
    for (CombinedFile written : files) {
      written.files().checkHealthy();
    }
  }

  private ErrorCode code() {
    return switch (state) {
      case FENCED -> ErrorCode.FENCED;
      case DELETED -> ErrorCode.NOT_FOUND;
      case FAILED -> ErrorCode.IO_ERROR;
      case OPEN, CLOSED -> ErrorCode.INVALID_ARGUMENT;
    };
  }

  /** Runs a step after whose failure nothing more may be written. */
  private void orFail(FileGuard.Step<VdfsException> step) throws VdfsException {
    boolean done = false;
    try {
      step.run();
      done = true;
    } finally {
      if (!done) {
        held = groupStart + file.heldLength(group);
        end(State.FAILED);
      }
    }
  }
}
