package io.vdfs.datanode.local;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.stream.BlockWarmer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The files that one process on this machine may read by itself, for as long as its connection
 * lasts. Has one name per combined file, whatever the number of blocks read through it, and a
 * bounded number of names. Thread-safe: the monitor guards the names; it is never held while the
 * disk works. Never blocks.
 */
final class LocalSession implements AutoCloseable {
  /** Most names of a session; the one not used for longest goes first. */
  static final int MAX_LINKS = 256;

  /** Most chunks of a range, so that their checksums fit into a message. */
  static final int MAX_CHUNKS = 4096;

  /** Most blocks that are granted with another one. */
  static final int MAX_FOLLOWING = 15;

  private final Source source;
  private final LocalAccount account;
  private final Consumer<LocalSession> onClosed;
  private final Map<Path, Link> links = new LinkedHashMap<>(16, 0.75f, true);
  private boolean closed;

  /**
   * What sessions grant.
   *
   * @param warmer brings what is granted into memory
   * @param links names on each volume, in the order of the store; empty where it cannot have any
   */
  record Source(
      BlockStore store,
      ClusterGeometry geometry,
      BlockWarmer warmer,
      List<Optional<LinkDirectory>> links) {}

  /**
   * @param onClosed hears of the end, possibly more than once
   */
  LocalSession(Source source, LocalAccount account, Consumer<LocalSession> onClosed) {
    this.source = source;
    this.account = account;
    this.onClosed = onClosed;
  }

  private record Link(FileKey file, LinkDirectory directory, CompletableFuture<Path> name) {}

  private record Wanted(BlockLocation location, int offset, int length) {}

  /**
   * Lets the process read the whole chunks that cover a range, up to what the node holds.
   *
   * @return completes once there is a name and the bytes are warm, cancelling it gives them up;
   *     fails with UNSUPPORTED if these bytes can only be had over the socket
   * @throws VdfsException NOT_FOUND if the node does not hold these bytes; UNSUPPORTED;
   *     LEASE_CONFLICT if the group is being written
   */
  CompletableFuture<LocalRange> grant(FileKey file, long block, int offset, int length)
      throws VdfsException {
    BlockLocation location = locate(file, block, offset);
    int group = source.geometry().groupOfBlock(block);
    if (source.store().isWriting(file, group)) {
      throw new VdfsException(
          ErrorCode.LEASE_CONFLICT,
          "no local delivery: the group is being written: file=" + file + ", group=" + group);
    }
    Link link = link(location);
    CompletableFuture<LocalRange> granted = new CompletableFuture<>();
    var unused =
        link.name()
            .whenComplete(
                (name, failure) -> {
                  if (failure == null) {
                    onNamed(new Wanted(location, offset, length), name, granted);
                  } else {
                    forget(location.path(), link);
                    granted.completeExceptionally(failure);
                  }
                });
    return granted;
  }

  /**
   * Lets the process read the rest of a block of which it was granted a range as well, if the block
   * is whole. As {@link #following}, also as regards the disk.
   *
   * @param offset where the rest begins, on a chunk boundary
   * @param firstEpoch lowest write epoch that the block may have
   */
  Optional<LocalRange> rest(FileKey file, long block, int offset, int firstEpoch) {
    Optional<LocalRange> granted =
        source.geometry().chunksPerBlock() > MAX_CHUNKS
            ? Optional.empty() // the checksums would not fit into a message with those asked for
            : inMemory(file, block, offset, firstEpoch);
    granted.ifPresent(range -> account.onEarlyGranted(range.length()));
    return granted;
  }

  /**
   * Lets the process read the blocks behind one that it was granted as well, each as a whole: those
   * that are in memory while nobody waits for their disk, up to the first one that is not, is not
   * whole, is being written, or lies in a file that has no name yet. Asks no disk.
   *
   * @param most blocks; less than 1 for none
   * @param firstEpoch lowest write epoch that they may have
   */
  List<LocalRange> following(FileKey file, long block, int most, int firstEpoch) {
    List<LocalRange> granted = new ArrayList<>();
    boolean more = true;
    for (long next = block + 1; more && next - block <= Math.min(most, maxFollowing()); next++) {
      Optional<LocalRange> range = inMemory(file, next, 0, firstEpoch);
      range.ifPresent(granted::add);
      more = range.isPresent();
    }
    granted.forEach(range -> account.onEarlyGranted(range.length()));
    return granted;
  }

  /** So that the checksums of all of them, and of the block before them, fit into a message. */
  private int maxFollowing() {
    return Math.min(MAX_FOLLOWING, MAX_CHUNKS / source.geometry().chunksPerBlock() - 1);
  }

  /** From a byte to the end of a whole block. */
  private Optional<LocalRange> inMemory(FileKey file, long block, int offset, int firstEpoch) {
    int blockSize = source.geometry().blockSize();
    Optional<BlockLocation> location =
        source
            .store()
            .locate(file, block)
            .filter(held -> held.length() == blockSize && held.writeEpoch() >= firstEpoch);
    Optional<Path> name = location.flatMap(held -> madeName(held.path()));
    boolean granted =
        name.isPresent()
            && !source.store().isWriting(file, source.geometry().groupOfBlock(block))
            && source.warmer().takeFromMemory(file, block, offset, blockSize - offset)
            && isStillHeld(location.get());
    return granted
        ? Optional.of(range(new Wanted(location.get(), offset, blockSize - offset), name.get()))
        : Optional.empty();
  }

  private synchronized Optional<Path> madeName(Path path) {
    return Optional.ofNullable(links.get(path))
        .map(Link::name)
        .filter(name -> name.isDone() && !name.isCompletedExceptionally())
        .map(CompletableFuture::join);
  }

  private void onNamed(Wanted wanted, Path name, CompletableFuture<LocalRange> granted) {
    try {
      checkStillHeld(wanted.location());
      if (!granted.isCancelled()) {
        warm(wanted.location(), range(wanted, name), granted);
      }
    } catch (VdfsException | RuntimeException | Error e) {
      granted.completeExceptionally(e);
    }
  }

  private void warm(
      BlockLocation location, LocalRange range, CompletableFuture<LocalRange> granted) {
    CompletableFuture<Void> warm =
        source.warmer().warm(location.key(), location.block(), range.offset(), range.length());
    giveUpWith(granted, warm);
    var unused =
        warm.whenComplete(
            (done, failure) -> {
              if (!(failure instanceof CancellationException)) {
                account.onGranted(range.length(), failure == null);
              }
              granted.complete(range);
            });
  }

  private static void giveUpWith(
      CompletableFuture<LocalRange> granted, CompletableFuture<Void> warm) {
    var unused =
        granted.whenComplete(
            (range, failure) -> {
              if (granted.isCancelled()) {
                warm.cancel(false);
              }
            });
  }

  /** As {@link LocalAccount#onTold}, by this process. */
  void onTold(long readBytes, long fetchedBytes) {
    account.onTold(readBytes, fetchedBytes);
  }

  private BlockLocation locate(FileKey file, long block, int offset) throws VdfsException {
    Optional<BlockLocation> location = source.store().locate(file, block);
    if (location.isEmpty() || offset >= location.get().length()) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "node does not hold these bytes: file=%s, block=%s, offset=%s, held=%s"
              .formatted(file, block, offset, location.map(BlockLocation::length).orElse(0)));
    }
    return location.get();
  }

  private LocalRange range(Wanted wanted, Path link) {
    BlockLocation location = wanted.location();
    int chunkSize = source.geometry().chunkSize();
    int first = wanted.offset() / chunkSize;
    int from = first * chunkSize;
    long chunks = ((long) wanted.offset() + wanted.length() - from + chunkSize - 1) / chunkSize;
    long end = from + Math.min(chunks, MAX_CHUNKS) * chunkSize;
    int bytes = (int) Math.min(location.length(), end) - from;
    return new LocalRange(
        link,
        location.position() + from,
        from,
        bytes,
        location.checksums().range(first, first + ChunkChecksums.countFor(bytes, chunkSize)));
  }

  /** The name of a combined file, which may not be made yet. */
  private synchronized Link link(BlockLocation location) throws VdfsException {
    if (closed) {
      throw refused("the session is over");
    }
    Link known = links.get(location.path());
    if (known != null) {
      return known;
    }
    Optional<LinkDirectory> directory = source.links().get(location.volume());
    if (directory.isEmpty()) {
      throw refused("the volume has no names for local readers: path=" + location.path());
    }
    CompletableFuture<Path> name = directory.get().link(location.path());
    Link made = new Link(location.key(), directory.get(), name);
    links.put(location.path(), made);
    if (links.size() > MAX_LINKS) {
      takeBack(List.of(links.remove(links.keySet().iterator().next())));
    }
    return made;
  }

  /**
   * A deletion that came before the name was made could not take it back. A combined file that was
   * made from a blank one gets its own path later, and stays the same file.
   */
  private void checkStillHeld(BlockLocation granted) throws VdfsException {
    if (!isStillHeld(granted)) {
      forget(granted.key());
      throw refused("the block went away: file=" + granted.key() + ", block=" + granted.block());
    }
  }

  private boolean isStillHeld(BlockLocation granted) {
    return source
        .store()
        .locate(granted.key(), granted.block())
        .filter(now -> now.file().equals(granted.file()) && now.position() == granted.position())
        .isPresent();
  }

  private VdfsException refused(String why) {
    return new VdfsException(ErrorCode.UNSUPPORTED, "no local delivery: " + why);
  }

  private synchronized void forget(Path path, Link unmade) {
    links.remove(path, unmade);
  }

  synchronized void forget(FileKey file) {
    List<Link> gone = links.values().stream().filter(link -> link.file().equals(file)).toList();
    links.values().removeAll(gone);
    takeBack(gone);
  }

  private static void takeBack(Collection<Link> gone) {
    gone.stream()
        .collect(groupingBy(Link::directory, mapping(Link::name, toList())))
        .forEach(LinkDirectory::remove);
  }

  /** Takes all names back; a file that is already open can still be read. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    takeBack(links.values());
    links.clear();
    onClosed.accept(this);
  }
}
