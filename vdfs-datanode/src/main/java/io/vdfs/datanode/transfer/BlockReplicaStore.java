package io.vdfs.datanode.transfer;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.GroupState;
import io.vdfs.datanode.stream.BlockHeads;
import io.vdfs.datanode.stream.StreamManager;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The block store as the data plane sees it. Thread-safe. */
public final class BlockReplicaStore implements ReplicaStore {
  private static final Logger LOG = LoggerFactory.getLogger(BlockReplicaStore.class);

  private final BlockStore store;
  private final StreamManager streams;
  private final BlockHeads heads;
  private final ClusterGeometry geometry;

  /**
   * @param store not closed here
   * @param streams orders the reads of {@code store}; not closed here
   */
  public BlockReplicaStore(BlockStore store, StreamManager streams, ClusterGeometry geometry) {
    this.store = store;
    this.streams = streams;
    this.heads = new BlockHeads(geometry.chunkSize(), streams.counters());
    this.geometry = geometry;
  }

  @Override
  public ReplicaWriter openWriter(
      FileKey file,
      int group,
      int writeEpoch,
      long startOffset,
      boolean primary,
      LeaseBound lease,
      long lastDeletion,
      long bytes)
      throws VdfsException {
    BlockRole role = primary ? BlockRole.PRIMARY : BlockRole.REPLICA;
    return new Writer(
        store.openWriter(
            file,
            role,
            Integer.toUnsignedLong(writeEpoch),
            startOffset,
            group,
            lease,
            lastDeletion,
            bytes));
  }

  @Override
  public CompletableFuture<Void> warm(FileKey file, long block, int offset, int length) {
    boolean head =
        heads.mayHave(offset, length)
            && store
                .locate(file, block)
                .filter(place -> heads.has(place, offset, length))
                .isPresent();
    return head
        ? CompletableFuture.completedFuture(null)
        : streams.warm(file, block, offset, length);
  }

  /**
   * As {@link #warm}, for those who then read the bytes without coming here: keeps the head of the
   * block, which {@link #read} would have done.
   */
  public CompletableFuture<Void> warmForOthers(FileKey file, long block, int offset, int length) {
    CompletableFuture<Void> warm = streams.warm(file, block, offset, length);
    var unused = warm.thenRun(() -> keepHead(file, block, offset, length));
    return warm;
  }

  private void keepHead(FileKey file, long block, int offset, int length) {
    boolean missing =
        offset == 0
            && length >= heads.bytes()
            && store.locate(file, block).filter(place -> !heads.has(place, 0, 1)).isPresent();
    if (!missing) {
      return;
    }
    try {
      BlockData head = store.read(file, block, 0, heads.bytes(), false);
      try {
        keepIfSound(head);
      } finally {
        head.data().release();
      }
    } catch (VdfsException e) {
      // the block went away or is bad, which its reader finds out
      LOG.debug("no head kept: file={}, block={}", file, block, e);
    }
  }

  /**
   * A head is given out in place of what the disk has, so that a damaged one would stay with every
   * reader until it is pushed out; whoever had it read finds the damage by himself.
   */
  private void keepIfSound(BlockData read) {
    int bytes = heads.bytes();
    if (read.offset() != 0 || read.data().readableBytes() < bytes) {
      return;
    }
    int chunkSize = geometry.chunkSize();
    ByteBuffer head = read.data().nioBuffer(read.data().readerIndex(), bytes);
    if (read.checksums().range(0, bytes / chunkSize).firstMismatch(head, chunkSize) < 0) {
      heads.keep(read);
    }
  }

  @Override
  public Optional<ReplicaChunks> kept(FileKey file, long block, int offset, int length) {
    if (!heads.mayHave(offset, length)) {
      return Optional.empty();
    }
    return store
        .locate(file, block)
        .filter(place -> heads.has(place, offset, length))
        .filter(place -> !store.isCached(place.file(), place.position() + offset, length))
        .flatMap(place -> heads.find(place, offset, length))
        .map(BlockReplicaStore::chunksOf);
  }

  @Override
  public ReplicaChunks read(FileKey file, long block, int offset, int length) throws VdfsException {
    Optional<BlockData> head =
        heads.mayHave(offset, length)
            ? store.locate(file, block).flatMap(place -> heads.find(place, offset, length))
            : Optional.empty();
    if (head.isPresent()) {
      return chunksOf(head.get());
    }
    // the reader verifies; a second pass over all the bytes here would tell nothing new
    BlockData read = store.read(file, block, offset, length, false);
    boolean handedOut = false;
    try {
      keepIfSound(read);
      ReplicaChunks chunks = chunksOf(read);
      handedOut = true;
      return chunks;
    } finally {
      if (!handedOut) {
        read.data().release();
      }
    }
  }

  @Override
  public long writeEpoch(FileKey file, long block) {
    return store.locate(file, block).map(BlockLocation::writeEpoch).orElse(0L);
  }

  @Override
  public ReplicaState state(FileKey file, int group, LeaseBound lease) {
    return stateOf(store.group(file, group, lease));
  }

  @Override
  public ReplicaState fence(FileKey file, int group, int epoch) throws VdfsException {
    return stateOf(store.fence(file, group, Integer.toUnsignedLong(epoch)));
  }

  @Override
  public VerifiedGroup verify(FileKey file, int group, LeaseBound lease, List<Long> marks)
      throws VdfsException {
    return store.verify(file, group, lease, marks);
  }

  @Override
  public BlockCopy openCopy(FileKey file, long block, int epoch, boolean primary)
      throws VdfsException {
    BlockRole role = primary ? BlockRole.PRIMARY : BlockRole.REPLICA;
    return store.openCopy(file, role, block, Integer.toUnsignedLong(epoch));
  }

  @Override
  public void truncate(FileKey file, int group, long length, int epoch) throws VdfsException {
    store.truncateGroup(file, group, length, Integer.toUnsignedLong(epoch));
  }

  @Override
  public List<Integer> blockChecksums(FileKey file, int group) throws VdfsException {
    List<Integer> checksums = new ArrayList<>();
    long first = (long) group * geometry.groupBlocks();
    long blocks = geometry.blockCount(store.group(file, group).length());
    for (long block = first; block < first + blocks; block++) {
      Optional<BlockLocation> location = store.locate(file, block);
      if (location.isEmpty()) {
        throw new VdfsException(
            ErrorCode.NOT_FOUND, "block went away: file=" + file + ", block=" + block);
      }
      checksums.add(combined(location.get()));
    }
    return checksums;
  }

  private int combined(BlockLocation block) {
    int crc = 0;
    int chunkSize = geometry.chunkSize();
    for (int chunk = 0; chunk < block.checksums().count(); chunk++) {
      int length = Math.min(chunkSize, block.length() - chunk * chunkSize);
      crc = Crc32c.combine(crc, block.checksums().get(chunk), length);
    }
    return crc;
  }

  private static ReplicaState stateOf(GroupState state) {
    return new ReplicaState(
        state.length(), (int) Math.max(state.contentEpoch(), state.fenceEpoch()));
  }

  private static ReplicaChunks chunksOf(BlockData data) {
    List<Integer> checksums = new ArrayList<>(data.checksums().count());
    for (int chunk = 0; chunk < data.checksums().count(); chunk++) {
      checksums.add(data.checksums().get(chunk));
    }
    return new ReplicaChunks(data.offset(), data.data(), checksums);
  }

  private record Writer(BlockWriter writer) implements ReplicaWriter {
    @Override
    public void append(long offset, ByteBuffer data, List<Integer> checksums) throws VdfsException {
      int[] values = new int[checksums.size()];
      for (int chunk = 0; chunk < values.length; chunk++) {
        values[chunk] = checksums.get(chunk);
      }
      writer.append(offset, data, ChunkChecksums.of(values));
    }

    @Override
    public void checkpoint() throws VdfsException {
      writer.checkpoint();
    }

    @Override
    public void sync() throws VdfsException {
      writer.sync();
    }

    @Override
    public void close(boolean sync) throws VdfsException {
      writer.close(sync);
    }

    @Override
    public void abandon() {
      writer.abandon();
    }
  }
}
