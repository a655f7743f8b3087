package io.vdfs.datanode.transfer;

import io.netty.buffer.Unpooled;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.BlockCopy;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntSupplier;

/**
 * A store without disks, with the epochs, fences and checksums of a real one, and faults to order.
 * Thread-safe: the monitor guards all state.
 */
public final class InMemoryReplicaStore implements ReplicaStore, StoreFaults {
  private record GroupId(FileKey file, int group) {}

  private final ClusterGeometry geometry;
  private final Map<GroupId, Group> groups = new HashMap<>();
  private volatile boolean full;
  private final CountDownLatch turnAsked = new CountDownLatch(1);
  private volatile CompletableFuture<Void> heldTurn;
  private int appends;
  private volatile CountDownLatch stall = new CountDownLatch(0);
  private volatile Fault readFault = () -> {};
  private volatile Fault appendFault = () -> {};
  private volatile IntSupplier headBytes = () -> 0;

  /** What happens to a call before it is carried out. */
  @FunctionalInterface
  public interface Fault {
    /** Returns, waits or throws. */
    void strike() throws VdfsException;
  }

  public InMemoryReplicaStore(ClusterGeometry geometry) {
    this.geometry = geometry;
  }

  @Override
  public ReplicaStore replicas() {
    return this;
  }

  /** From now on every append fails with NO_SPACE. */
  @Override
  public void fillUp() {
    full = true;
  }

  /** From now on every read meets this first. */
  public void beforeReads(Fault fault) {
    readFault = fault;
  }

  /** From now on every append meets this first. */
  public void beforeAppends(Fault fault) {
    appendFault = fault;
  }

  /**
   * From now on the first bytes of blocks count as kept.
   *
   * @param bytes how many, told whenever somebody asks for kept bytes
   */
  public void keepHeads(IntSupplier bytes) {
    headBytes = bytes;
  }

  /** From now on every append waits until {@link #goOn}. */
  @Override
  public void stall() {
    stall = new CountDownLatch(1);
  }

  @Override
  public void goOn() {
    stall.countDown();
  }

  @Override
  public synchronized boolean damage(FileKey file, long offset) {
    Group group = groups.get(new GroupId(file, geometry.groupAt(offset)));
    int at = (int) (offset % geometry.groupSize());
    if (group == null || at >= group.length) {
      return false;
    }
    group.bytes[at] ^= 0x10;
    return true;
  }

  @Override
  public synchronized void lose(FileKey file, int group, int length) {
    Group held = groups.get(new GroupId(file, group));
    if (held != null && held.length > length) {
      held.cut(length);
    }
  }

  /**
   * Who asks for a turn to read gets this one from now on.
   *
   * @return opens when somebody asks
   */
  public CountDownLatch holdTurns(CompletableFuture<Void> turn) {
    heldTurn = turn;
    return turnAsked;
  }

  @Override
  public synchronized byte[] bytes(FileKey file, int group) {
    Group held = groups.get(new GroupId(file, group));
    return held == null ? new byte[0] : Arrays.copyOf(held.bytes, held.length);
  }

  /** Calls of append so far, refused ones too. */
  public synchronized int appends() {
    return appends;
  }

  @Override
  public synchronized boolean isWriting(FileKey file, int count) {
    return groups.entrySet().stream()
        .filter(held -> held.getKey().file().equals(file) && held.getKey().group() < count)
        .anyMatch(held -> held.getValue().writer != null);
  }

  @Override
  public void close() {
    goOn();
  }

  public synchronized int openWriters() {
    return (int) groups.values().stream().filter(group -> group.writer != null).count();
  }

  @Override
  public synchronized ReplicaWriter openWriter(
      FileKey file,
      int group,
      int writeEpoch,
      long startOffset,
      boolean primary,
      LeaseBound lease,
      long lastDeletion,
      long bytes)
      throws VdfsException {
    Group held = groups.computeIfAbsent(new GroupId(file, group), id -> new Group());
    int start = (int) (startOffset - group * geometry.groupSize());
    if (writeEpoch < held.fence) {
      throw new VdfsException(
          ErrorCode.FENCED, "epoch is over: epoch=" + writeEpoch + ", fence=" + held.fence);
    }
    if (held.writer != null && writeEpoch == held.fence) {
      throw new VdfsException(ErrorCode.LEASE_CONFLICT, "writer is open: epoch=" + writeEpoch);
    }
    int counted = held.counted(group, lease);
    if (start > counted) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED, "too short: length=" + counted + ", start=" + start);
    }
    held.fence = writeEpoch;
    if (counted < held.length) {
      held.cut(counted);
    }
    held.writer = new Writer(held, group * geometry.groupSize(), writeEpoch, start);
    return held.writer;
  }

  @Override
  public CompletableFuture<Void> warm(FileKey file, long block, int offset, int length) {
    CompletableFuture<Void> held = heldTurn;
    if (held != null) {
      turnAsked.countDown();
      return held;
    }
    return CompletableFuture.runAsync(() -> {});
  }

  @Override
  public ReplicaChunks read(FileKey file, long block, int offset, int length) throws VdfsException {
    readFault.strike();
    return held(file, block, offset, length);
  }

  @Override
  public Optional<ReplicaChunks> kept(FileKey file, long block, int offset, int length) {
    if ((long) offset + length > headBytes.getAsInt()) {
      return Optional.empty();
    }
    try {
      return Optional.of(held(file, block, offset, length));
    } catch (VdfsException e) {
      return Optional.empty();
    }
  }

  private synchronized ReplicaChunks held(FileKey file, long block, int offset, int length)
      throws VdfsException {
    int group = geometry.groupOfBlock(block);
    Group held = groups.get(new GroupId(file, group));
    int blockStart = (int) (block * geometry.blockSize() - (long) group * geometry.groupSize());
    int chunk = geometry.chunkSize();
    int from = blockStart + offset - offset % chunk;
    int wanted = blockStart + offset + length;
    int to = Math.min(wanted + (chunk - wanted % chunk) % chunk, blockStart + geometry.blockSize());
    if (held == null || held.length <= blockStart + offset) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND, "no such bytes: block=" + block + ", offset=" + offset);
    }
    to = Math.min(to, held.length);
    List<Integer> checksums =
        List.copyOf(held.checksums.subList(from / chunk, (to + chunk - 1) / chunk));
    return new ReplicaChunks(
        from - blockStart, Unpooled.copiedBuffer(held.bytes, from, to - from), checksums);
  }

  @Override
  public synchronized long writeEpoch(FileKey file, long block) {
    Group held = groups.get(new GroupId(file, geometry.groupOfBlock(block)));
    int inGroup = (int) (block % geometry.groupBlocks());
    return held == null || held.length <= inGroup * geometry.blockSize() ? 0 : held.epochs[inGroup];
  }

  @Override
  public synchronized ReplicaState state(FileKey file, int group, LeaseBound lease) {
    Group held = groups.get(new GroupId(file, group));
    return held == null
        ? new ReplicaState(0, 0)
        : new ReplicaState(held.counted(group, lease), held.fence);
  }

  @Override
  public synchronized ReplicaState fence(FileKey file, int group, int epoch) throws VdfsException {
    Group held = groups.computeIfAbsent(new GroupId(file, group), id -> new Group());
    if (epoch < held.fence) {
      throw new VdfsException(ErrorCode.FENCED, "higher epoch seen: fence=" + held.fence);
    }
    held.fence = epoch;
    held.writer = null;
    return state(file, group);
  }

  @Override
  public synchronized VerifiedGroup verify(
      FileKey file, int group, LeaseBound lease, List<Long> marks) {
    Group held = groups.get(new GroupId(file, group));
    List<VerifiedBlock> blocks = new ArrayList<>();
    int counted = held == null ? 0 : held.counted(group, lease);
    for (int start = 0; start < counted; start += geometry.blockSize()) {
      int length = Math.min(geometry.blockSize(), counted - start);
      int verified = held.verified(start, length);
      Map<Integer, Integer> prefixes = new HashMap<>();
      for (long mark : marks) {
        if (mark > start && mark <= start + verified) {
          int prefix = (int) mark - start;
          prefixes.put(prefix, Crc32c.of(ByteBuffer.wrap(held.bytes, start, prefix)));
        }
      }
      blocks.add(
          new VerifiedBlock(
              held.epochs[start / geometry.blockSize()],
              length,
              verified,
              Crc32c.of(ByteBuffer.wrap(held.bytes, start, verified)),
              prefixes));
    }
    return new VerifiedGroup(blocks);
  }

  @Override
  public BlockCopy openCopy(FileKey file, long block, int epoch, boolean primary)
      throws VdfsException {
    fence(file, geometry.groupOfBlock(block), epoch);
    ByteArrayOutputStream copied = new ByteArrayOutputStream();
    return new BlockCopy() {
      @Override
      public void append(ByteBuffer data, ChunkChecksums checksums) {
        byte[] piece = new byte[data.remaining()];
        data.get(data.position(), piece);
        copied.writeBytes(piece);
      }

      @Override
      public void finish() throws VdfsException {
        replace(file, block, epoch, copied.toByteArray());
      }

      @Override
      public void close() {
        // what is not finished is nowhere
      }
    };
  }

  private synchronized void replace(FileKey file, long block, int epoch, byte[] bytes)
      throws VdfsException {
    int group = geometry.groupOfBlock(block);
    fence(file, group, epoch);
    Group held = groups.get(new GroupId(file, group));
    int start = (int) (block - (long) group * geometry.groupBlocks()) * geometry.blockSize();
    if (start > held.length) {
      throw new VdfsException(ErrorCode.FILE_CHANGED, "hole: length=" + held.length);
    }
    int chunk = geometry.chunkSize();
    int blockEnd = start + geometry.blockSize();
    boolean more = held.length > blockEnd && bytes.length == geometry.blockSize();
    List<Integer> checksums = new ArrayList<>(held.checksums.subList(0, start / chunk));
    checksums.addAll(ChunkChecksums.compute(ByteBuffer.wrap(bytes), chunk).asList());
    if (more) {
      checksums.addAll(held.checksums.subList(blockEnd / chunk, held.checksums.size()));
    }
    System.arraycopy(bytes, 0, held.bytes, start, bytes.length);
    held.epochs[start / geometry.blockSize()] = epoch;
    held.checksums.clear();
    held.checksums.addAll(checksums);
    held.length = more ? held.length : start + bytes.length;
  }

  @Override
  public synchronized void truncate(FileKey file, int group, long length, int epoch)
      throws VdfsException {
    if (fence(file, group, epoch).length() < length) {
      throw new VdfsException(ErrorCode.FILE_CHANGED, "too short: length=" + length);
    }
    groups.get(new GroupId(file, group)).cut((int) length);
  }

  @Override
  public synchronized List<Integer> blockChecksums(FileKey file, int group) {
    byte[] bytes = bytes(file, group);
    List<Integer> checksums = new ArrayList<>();
    for (int at = 0; at < bytes.length; at += geometry.blockSize()) {
      int length = Math.min(geometry.blockSize(), bytes.length - at);
      checksums.add(Crc32c.of(ByteBuffer.wrap(bytes, at, length)));
    }
    return checksums;
  }

  private final class Group {
    private final byte[] bytes = new byte[(int) geometry.groupSize()];
    private final List<Integer> checksums = new ArrayList<>();

    /** Of those who wrote the blocks. */
    private final int[] epochs = new int[geometry.groupBlocks()];

    private int length;
    private int fence;
    private Writer writer;

    private int counted(int group, LeaseBound lease) {
      int counted = 0;
      for (int block = 0; block < epochs.length; block++) {
        int start = block * geometry.blockSize();
        int there = Math.max(0, Math.min(geometry.blockSize(), length - start));
        int good = lease.counted(group * geometry.groupSize() + start, there, epochs[block]);
        counted += good;
        if (good < geometry.blockSize()) {
          break;
        }
      }
      return counted;
    }

    /** Bytes up to the first chunk that differs from its checksum. */
    private int verified(int start, int length) {
      int chunk = geometry.chunkSize();
      for (int at = start; at < start + length; at += chunk) {
        int there = Math.min(chunk, Math.min(this.length, start + geometry.blockSize()) - at);
        if (Crc32c.of(ByteBuffer.wrap(bytes, at, there)) != checksums.get(at / chunk)) {
          return at - start;
        }
      }
      return length;
    }

    private void put(int at, byte[] data, List<Integer> packetChecksums, int epoch) {
      int overlap = Math.min(data.length, length - at);
      boolean same = Arrays.equals(bytes, at, at + overlap, data, 0, overlap);
      System.arraycopy(data, 0, bytes, at, data.length);
      if (!same) {
        length = at + data.length;
      } else if (at + data.length <= length) {
        return;
      }
      for (int block = at / geometry.blockSize();
          block <= (at + data.length - 1) / geometry.blockSize();
          block++) {
        epochs[block] = epoch;
      }
      length = at + data.length;
      int firstChunk = at / geometry.chunkSize();
      checksums.subList(Math.min(firstChunk, checksums.size()), checksums.size()).clear();
      checksums.addAll(packetChecksums);
    }

    private void cut(int newLength) {
      length = newLength;
      checksums.clear();
      checksums.addAll(
          ChunkChecksums.compute(ByteBuffer.wrap(bytes, 0, length), geometry.chunkSize()).asList());
    }
  }

  private final class Writer implements ReplicaWriter {
    private final Group group;
    private final long groupStart;
    private final int epoch;
    private int position;
    private boolean appended;

    Writer(Group group, long groupStart, int epoch, int position) {
      this.group = group;
      this.groupStart = groupStart;
      this.epoch = epoch;
      this.position = position;
    }

    @Override
    public void append(long offset, ByteBuffer data, List<Integer> checksums) throws VdfsException {
      awaitStall();
      appendFault.strike();
      synchronized (InMemoryReplicaStore.this) {
        appends++;
        requireOpen();
        if (full) {
          throw new VdfsException(ErrorCode.NO_SPACE, "disk full: offset=" + offset);
        }
        int at = (int) (offset - groupStart);
        if (at > position || at % geometry.chunkSize() != 0) {
          throw new VdfsException(
              ErrorCode.INVALID_ARGUMENT, "hole: at=" + at + ", position=" + position);
        }
        if (ChunkChecksums.of(checksums.size(), checksums::get)
                .firstMismatch(data, geometry.chunkSize())
            >= 0) {
          throw new VdfsException(ErrorCode.CORRUPT, "packet damaged: offset=" + offset);
        }
        byte[] copy = new byte[data.remaining()];
        data.get(data.position(), copy);
        group.put(at, copy, checksums, epoch);
        position = Math.max(position, at + copy.length);
        appended = true;
      }
    }

    @Override
    public void checkpoint() throws VdfsException {
      synchronized (InMemoryReplicaStore.this) {
        requireOpen();
      }
    }

    @Override
    public void sync() throws VdfsException {
      checkpoint();
    }

    @Override
    public void close(boolean sync) throws VdfsException {
      synchronized (InMemoryReplicaStore.this) {
        requireOpen();
        if (appended && position < group.length) {
          group.cut(position);
        }
        group.fence = Math.max(group.fence, epoch + 1);
        group.writer = null;
      }
    }

    @Override
    public void abandon() {
      synchronized (InMemoryReplicaStore.this) {
        if (group.writer == this) {
          group.writer = null;
        }
      }
    }

    private void requireOpen() throws VdfsException {
      if (group.writer != this) {
        throw new VdfsException(ErrorCode.FENCED, "writer was fenced: epoch=" + epoch);
      }
    }

    private void awaitStall() throws VdfsException {
      try {
        stall.await();
      } catch (InterruptedException e) {
        throw new VdfsException(ErrorCode.IO_ERROR, "interrupted", e);
      }
    }
  }
}
