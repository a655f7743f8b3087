package io.vdfs.datanode.stream;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.BlockRole;
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
import io.vdfs.datanode.store.turns.TurnGate;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A store of which nothing is in memory unless told otherwise, whose raw reads are noted and can be
 * held up. Thread-safe.
 */
final class ForwardingStore implements BlockStore {
  private final BlockStore store;
  private final Queue<Extent> reads = new ConcurrentLinkedQueue<>();
  private final CountDownLatch reading = new CountDownLatch(1);
  private volatile Runnable defect = () -> {};
  private volatile boolean inMemory;
  private volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

  ForwardingStore(BlockStore store) {
    this.store = store;
  }

  /** Run by each raw read, to throw an error that no store should throw, or to hold it up. */
  void setDefect(Runnable defect) {
    this.defect = defect;
  }

  /** Whether all is in memory from now on, or nothing. */
  void setInMemory(boolean inMemory) {
    this.inMemory = inMemory;
  }

  /** Raw reads wait from now on. */
  void block() {
    gate = new CompletableFuture<>();
  }

  void unblock() {
    gate.complete(null);
  }

  /** Waits until a raw read has begun. */
  void awaitReading() throws InterruptedException {
    if (!reading.await(20, TimeUnit.SECONDS)) {
      throw new AssertionError("nothing was read");
    }
  }

  /** Whether raw reads went over all of a block. */
  boolean covered(BlockLocation place) {
    long end = place.position() + place.length();
    long at = place.position();
    boolean moved = true;
    while (at < end && moved) {
      long before = at;
      for (Extent read : reads) {
        if (read.file().equals(place.file()) && read.start() <= at && read.end() > at) {
          at = read.end();
        }
      }
      moved = at > before;
    }
    return at >= end;
  }

  @Override
  public int readRaw(CombinedFileId file, long position, ByteBuffer target) throws VdfsException {
    reads.add(new Extent(file, position, position + target.remaining()));
    reading.countDown();
    gate.join();
    defect.run();
    return store.readRaw(file, position, target);
  }

  @Override
  public boolean isWriting(FileKey key, int group) {
    return store.isWriting(key, group);
  }

  @Override
  public TurnGate turnGate(int volume) {
    return store.turnGate(volume);
  }

  @Override
  public boolean isCached(CombinedFileId file, long position, long length) {
    return inMemory;
  }

  @Override
  public BlockData read(FileKey key, long block, int offset, int length, boolean verify)
      throws VdfsException {
    return store.read(key, block, offset, length, verify);
  }

  @Override
  public BlockWriter openWriter(
      FileKey key,
      BlockRole role,
      long writeEpoch,
      long startOffset,
      int group,
      LeaseBound lease,
      long lastDeletion,
      long bytes)
      throws VdfsException {
    return store.openWriter(key, role, writeEpoch, startOffset, group, lease, lastDeletion, bytes);
  }

  @Override
  public Optional<BlockLocation> locate(FileKey key, long block) {
    return store.locate(key, block);
  }

  @Override
  public GroupState group(FileKey key, int group) {
    return store.group(key, group);
  }

  @Override
  public GroupState group(FileKey key, int group, LeaseBound lease) {
    return store.group(key, group, lease);
  }

  @Override
  public GroupState fence(FileKey key, int group, long epoch) throws VdfsException {
    return store.fence(key, group, epoch);
  }

  @Override
  public VerifiedGroup verify(
      FileKey key, int group, LeaseBound lease, List<Long> marks, ReadPace pace)
      throws VdfsException {
    return store.verify(key, group, lease, marks, pace);
  }

  @Override
  public BlockCopy openCopy(FileKey key, BlockRole role, long block, long epoch)
      throws VdfsException {
    return store.openCopy(key, role, block, epoch);
  }

  @Override
  public void truncateGroup(FileKey key, int group, long length, long epoch) throws VdfsException {
    store.truncateGroup(key, group, length, epoch);
  }

  @Override
  public boolean delete(FileKey key) throws VdfsException {
    return store.delete(key);
  }

  @Override
  public OptionalLong discard(FileKey key, long epoch, long second) throws VdfsException {
    return store.discard(key, epoch, second);
  }

  @Override
  public OptionalLong discardGroup(FileKey key, int group, long epoch, long second)
      throws VdfsException {
    return store.discardGroup(key, group, epoch, second);
  }

  @Override
  public GarbageUsage purgeGarbage(long before) throws VdfsException {
    return store.purgeGarbage(before);
  }

  @Override
  public Iterator<FileKey> files() {
    return store.files();
  }

  @Override
  public void forceRemovals(long lastDeletion) throws VdfsException {
    store.forceRemovals(lastDeletion);
  }

  @Override
  public Iterator<GroupHolding> holdings() {
    return store.holdings();
  }

  @Override
  public List<VolumeUsage> usage() {
    return store.usage();
  }

  @Override
  public StoreReport report() {
    return store.report();
  }

  @Override
  public StoreCounters counters() {
    return store.counters();
  }

  @Override
  public void close() throws VdfsException {
    store.close();
  }
}
