package io.vdfs.datanode.transfer;

import io.netty.buffer.Unpooled;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.CombinedFileId;
import io.vdfs.datanode.store.GroupHolding;
import io.vdfs.datanode.store.GroupState;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.status.GarbageUsage;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.status.StoreReport;
import io.vdfs.datanode.store.status.VolumeUsage;
import io.vdfs.datanode.stream.StoreReads;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * A store without disks, with the epochs, fences and checksums of a real one, and faults to order.
 * Thread-safe: the monitor guards all state.
 */
public final class InMemoryBlockStore implements BlockStore, StoreReads, StoreFaults {
  private record GroupId(FileKey file, int group) {}

  private final ClusterGeometry geometry;
  private final Map<GroupId, Group> groups = new HashMap<>();
  private volatile boolean full;
  private final CountDownLatch turnAsked = new CountDownLatch(1);
  private volatile CompletableFuture<Void> heldTurn;
  private int appends;
  private volatile CountDownLatch stall = new CountDownLatch(0);
  private volatile CompletableFuture<Void> room = CompletableFuture.completedFuture(null);
  private volatile Consumer<ReadPace> onVerify = pace -> {};
  private volatile Fault readFault = () -> {};
  private volatile Fault appendFault = () -> {};
  private volatile IntSupplier headBytes = () -> 0;
  private volatile BooleanSupplier headsStay = () -> true;

  /** Run before a call is carried out. */
  @FunctionalInterface
  public interface Fault {
    /** Returns, waits or throws. */
    void strike() throws VdfsException;
  }

  public InMemoryBlockStore(ClusterGeometry geometry) {
    this.geometry = geometry;
  }

  @Override
  public BlockStore store() {
    return this;
  }

  @Override
  public StoreReads reads() {
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
   * @param bytes how many, told whenever a caller asks whether bytes are kept
   */
  public void keepHeads(IntSupplier bytes) {
    headBytes = bytes;
  }

  /**
   * From now on kept bytes may be gone when they are taken.
   *
   * @param stay whether they are still there, told whenever a caller takes them
   */
  public void beforeHeadsAreTaken(BooleanSupplier stay) {
    headsStay = stay;
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

  /** From now on packets are acknowledged late, until {@link #letGo}. */
  public void holdBack() {
    room = new CompletableFuture<>();
  }

  public void letGo() {
    room.complete(null);
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

  /** Called from now on before a group is read back. */
  public void onVerify(Consumer<ReadPace> call) {
    onVerify = call;
  }

  /**
   * A caller that asks for a turn to read gets this one from now on.
   *
   * @return opens when a caller asks
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
  public synchronized boolean hasWriter(FileKey file, int count) {
    return groups.entrySet().stream()
        .filter(held -> held.getKey().file().equals(file) && held.getKey().group() < count)
        .anyMatch(held -> held.getValue().writer != null);
  }

  @Override
  public void close() {
    goOn();
  }

  @Override
  public synchronized boolean isWriting(FileKey file, int group) {
    Group held = groups.get(new GroupId(file, group));
    return held != null && held.writer != null;
  }

  public synchronized int openWriters() {
    return (int) groups.values().stream().filter(group -> group.writer != null).count();
  }

  @Override
  public synchronized BlockWriter openWriter(
      FileKey file,
      BlockRole role,
      long writeEpoch,
      long startOffset,
      int group,
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
  public CompletableFuture<Void> warm(
      StoreReads.Host host, FileKey file, long block, int offset, int length) {
    CompletableFuture<Void> held = heldTurn;
    if (held != null) {
      turnAsked.countDown();
      return held;
    }
    return CompletableFuture.runAsync(() -> {});
  }

  @Override
  public BlockData read(FileKey file, long block, int offset, int length) throws VdfsException {
    readFault.strike();
    return held(file, block, offset, length);
  }

  @Override
  public OptionalInt keptBytes(FileKey file, long block, int offset, int length) {
    if ((long) offset + length > headBytes.getAsInt()) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(held(file, block, offset, length).data().readableBytes());
    } catch (VdfsException e) {
      return OptionalInt.empty();
    }
  }

  @Override
  public Optional<BlockData> kept(FileKey file, long block, int offset, int length) {
    if (!headsStay.getAsBoolean()) {
      return Optional.empty();
    }
    try {
      return Optional.of(held(file, block, offset, length));
    } catch (VdfsException e) {
      return Optional.empty();
    }
  }

  private synchronized BlockData held(FileKey file, long block, int offset, int length)
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
    return new BlockData(
        file,
        block,
        from - blockStart,
        Unpooled.copiedBuffer(held.bytes, from, to - from),
        held.checksums(from, to - from));
  }

  @Override
  public synchronized Optional<BlockLocation> locate(FileKey file, long block) {
    Group held = groups.get(new GroupId(file, geometry.groupOfBlock(block)));
    int inGroup = (int) (block % geometry.groupBlocks());
    int start = inGroup * geometry.blockSize();
    if (held == null || held.length <= start) {
      return Optional.empty();
    }
    int length = Math.min(geometry.blockSize(), held.length - start);
    return Optional.of(
        new BlockLocation(
            file,
            block,
            BlockRole.PRIMARY,
            0,
            Path.of("memory"),
            start,
            length,
            held.epochs[inGroup],
            held.checksums(start, length)));
  }

  @Override
  public BlockData read(FileKey file, long block, int offset, int length, boolean verify)
      throws VdfsException {
    return read(file, block, offset, length);
  }

  @Override
  public GroupState group(FileKey file, int group) {
    return group(file, group, LeaseBound.NONE);
  }

  @Override
  public synchronized GroupState group(FileKey file, int group, LeaseBound lease) {
    Group held = groups.get(new GroupId(file, group));
    return held == null
        ? new GroupState(0, 0, 0)
        : new GroupState(held.counted(group, lease), 0, held.fence);
  }

  @Override
  public synchronized GroupState fence(FileKey file, int group, long epoch) throws VdfsException {
    Group held = groups.computeIfAbsent(new GroupId(file, group), id -> new Group());
    if (epoch < held.fence) {
      throw new VdfsException(ErrorCode.FENCED, "higher epoch seen: fence=" + held.fence);
    }
    held.fence = epoch;
    held.writer = null;
    return group(file, group);
  }

  @Override
  public VerifiedGroup verify(
      FileKey file, int group, LeaseBound lease, List<Long> marks, ReadPace pace) {
    onVerify.accept(pace);
    return verify(file, group, lease, marks);
  }

  private synchronized VerifiedGroup verify(
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
  public BlockCopy openCopy(FileKey file, BlockRole role, long block, long epoch)
      throws VdfsException {
    fence(file, geometry.groupOfBlock(block), epoch);
    ByteArrayOutputStream copied = new ByteArrayOutputStream();
    return new BlockCopy() {
      @Override
      public void append(VerifiedChunks data) {
        byte[] piece = new byte[data.length()];
        data.data().get(piece);
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

  private synchronized void replace(FileKey file, long block, long epoch, byte[] bytes)
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
    checksums.addAll(listOf(ChunkChecksums.compute(ByteBuffer.wrap(bytes), chunk)));
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
  public synchronized void truncateGroup(FileKey file, int group, long length, long epoch)
      throws VdfsException {
    if (fence(file, group, epoch).length() < length) {
      throw new VdfsException(ErrorCode.FILE_CHANGED, "too short: length=" + length);
    }
    groups.get(new GroupId(file, group)).cut((int) length);
  }

  @Override
  public int readRaw(CombinedFileId file, long position, ByteBuffer target) {
    throw noDisk();
  }

  @Override
  public boolean isCached(CombinedFileId file, long position, long length) {
    throw noDisk();
  }

  @Override
  public boolean delete(FileKey file) {
    throw noDisk();
  }

  @Override
  public OptionalLong discard(FileKey file, long epoch, long second) {
    throw noDisk();
  }

  @Override
  public OptionalLong discardGroup(FileKey file, int group, long epoch, long second) {
    throw noDisk();
  }

  @Override
  public GarbageUsage purgeGarbage(long before) {
    throw noDisk();
  }

  @Override
  public Iterator<FileKey> files() {
    throw noDisk();
  }

  @Override
  public void forceRemovals(long lastDeletion) {
    throw noDisk();
  }

  @Override
  public Iterator<GroupHolding> holdings() {
    throw noDisk();
  }

  @Override
  public List<VolumeUsage> usage() {
    throw noDisk();
  }

  @Override
  public StoreReport report() {
    throw noDisk();
  }

  @Override
  public StoreCounters counters() {
    throw noDisk();
  }

  private static UnsupportedOperationException noDisk() {
    return new UnsupportedOperationException("the data plane does not ask for this");
  }

  private static List<Integer> listOf(ChunkChecksums checksums) {
    return IntStream.range(0, checksums.count()).mapToObj(checksums::get).toList();
  }

  private final class Group {
    private final byte[] bytes = new byte[(int) geometry.groupSize()];
    private final List<Integer> checksums = new ArrayList<>();

    /** Write epoch of each block. */
    private final long[] epochs = new long[geometry.groupBlocks()];

    private int length;
    private long fence;
    private Writer writer;

    private ChunkChecksums checksums(int from, int bytes) {
      int first = from / geometry.chunkSize();
      int count = ChunkChecksums.countFor(bytes, geometry.chunkSize());
      List<Integer> some = checksums.subList(first, first + count);
      return ChunkChecksums.of(some.stream().mapToInt(Integer::intValue).toArray());
    }

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

    private void put(int at, byte[] data, List<Integer> packetChecksums, long epoch) {
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
          listOf(ChunkChecksums.compute(ByteBuffer.wrap(bytes, 0, length), geometry.chunkSize())));
    }
  }

  private final class Writer implements BlockWriter {
    private final Group group;
    private final long groupStart;
    private final long epoch;
    private int position;
    private boolean appended;

    Writer(Group group, long groupStart, long epoch, int position) {
      this.group = group;
      this.groupStart = groupStart;
      this.epoch = epoch;
      this.position = position;
    }

    @Override
    public void append(long offset, VerifiedChunks packet) throws VdfsException {
      awaitStall();
      appendFault.strike();
      synchronized (InMemoryBlockStore.this) {
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
        byte[] copy = new byte[packet.length()];
        packet.data().get(copy);
        group.put(at, copy, listOf(packet.checksums()), epoch);
        position = Math.max(position, at + copy.length);
        appended = true;
      }
    }

    @Override
    public CompletableFuture<Void> room() {
      return room;
    }

    @Override
    public long visibleLength() {
      synchronized (InMemoryBlockStore.this) {
        return groupStart + group.length;
      }
    }

    @Override
    public void checkpoint() throws VdfsException {
      synchronized (InMemoryBlockStore.this) {
        requireOpen();
      }
    }

    @Override
    public void sync() throws VdfsException {
      checkpoint();
    }

    @Override
    public void close(boolean sync) throws VdfsException {
      synchronized (InMemoryBlockStore.this) {
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
      synchronized (InMemoryBlockStore.this) {
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
