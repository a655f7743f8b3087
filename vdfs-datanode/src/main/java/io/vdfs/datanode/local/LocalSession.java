package io.vdfs.datanode.local;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.ChunkChecksums;
import io.vdfs.datanode.store.BlockLocation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * What one process on this machine may read by itself, for as long as its connection lasts. Has one
 * name per combined file, whatever the number of blocks read through it, and a bounded number of
 * names. Thread-safe: the monitor guards the names; it is held while one is made or removed.
 */
public final class LocalSession implements AutoCloseable {
  /** Most names of a session; the one not used for longest goes first. */
  static final int MAX_LINKS = 256;

  /** Most chunks of a range, so that their checksums fit into a message. */
  static final int MAX_CHUNKS = 4096;

  private final LocalDelivery delivery;
  private final Map<Path, Link> links = new LinkedHashMap<>(16, 0.75f, true);
  private boolean closed;

  LocalSession(LocalDelivery delivery) {
    this.delivery = delivery;
  }

  private record Link(FileKey file, LinkDirectory directory, Path path) {}

  /**
   * Lets the process read the whole chunks that cover a range, up to what the node holds. Blocks on
   * the disk for the name; the future completes once the bytes are warm; cancelling it gives them
   * up.
   *
   * @throws VdfsException NOT_FOUND if the node does not hold these bytes; UNSUPPORTED if bytes can
   *     only be had over the socket; LEASE_CONFLICT if these can, as the group is being written
   */
  public CompletableFuture<LocalRange> grant(FileKey file, long block, int offset, int length)
      throws VdfsException {
    BlockLocation location = locate(file, block, offset);
    int group = delivery.geometry().groupOfBlock(block);
    if (delivery.store().isWriting(file, group)) {
      throw new VdfsException(
          ErrorCode.LEASE_CONFLICT,
          "no local delivery: the group is being written: file=" + file + ", group=" + group);
    }
    Path link = link(location);
    checkStillHeld(location);
    LocalRange range = range(location, link, offset, length);
    CompletableFuture<Void> warm =
        delivery.warmer().warm(file, block, range.offset(), range.length());
    CompletableFuture<LocalRange> granted = warm.handle((done, failure) -> onWarm(range, failure));
    var unused =
        granted.whenComplete(
            (given, failure) -> {
              if (granted.isCancelled()) {
                warm.cancel(false);
              }
            });
    return granted;
  }

  /** As {@link LocalDelivery#onTold}, by this process. */
  public void onTold(long readBytes, long fetchedBytes) {
    delivery.onTold(readBytes, fetchedBytes);
  }

  private LocalRange onWarm(LocalRange range, Throwable failure) {
    if (!(failure instanceof CancellationException)) {
      delivery.onGranted(range.length(), failure == null);
    }
    return range;
  }

  private BlockLocation locate(FileKey file, long block, int offset) throws VdfsException {
    Optional<BlockLocation> location = delivery.store().locate(file, block);
    if (location.isEmpty() || offset >= location.get().length()) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "node does not hold these bytes: file="
              + file
              + ", block="
              + block
              + ", offset="
              + offset
              + ", held="
              + location.map(BlockLocation::length).orElse(0));
    }
    return location.get();
  }

  private LocalRange range(BlockLocation location, Path link, int offset, int length) {
    ClusterGeometry geometry = delivery.geometry();
    int chunkSize = geometry.chunkSize();
    int first = offset / chunkSize;
    int from = first * chunkSize;
    long chunks = ((long) offset + length - from + chunkSize - 1) / chunkSize;
    long end = from + Math.min(chunks, MAX_CHUNKS) * chunkSize;
    int bytes = (int) Math.min(location.length(), end) - from;
    return new LocalRange(
        link,
        location.position() + from,
        from,
        bytes,
        location.checksums().range(first, first + ChunkChecksums.countFor(bytes, chunkSize)));
  }

  private synchronized Path link(BlockLocation location) throws VdfsException {
    if (closed) {
      throw refused("the session is over");
    }
    Link known = links.get(location.path());
    if (known != null) {
      return known.path();
    }
    Optional<LinkDirectory> directory = delivery.links(location.volume());
    if (directory.isEmpty()) {
      throw refused("the volume has no names for local readers: path=" + location.path());
    }
    try {
      Path made = directory.get().link(location.path());
      links.put(location.path(), new Link(location.key(), directory.get(), made));
      removeEldest();
      return made;
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "cannot name a file for a local reader: " + e, e);
    }
  }

  private void removeEldest() {
    if (links.size() > MAX_LINKS) {
      Link eldest = links.remove(links.keySet().iterator().next());
      eldest.directory().remove(eldest.path());
    }
  }

  /** A deletion that the name came too late for does not know of it. */
  private void checkStillHeld(BlockLocation granted) throws VdfsException {
    Optional<BlockLocation> now = delivery.store().locate(granted.key(), granted.block());
    if (now.isEmpty() || !now.get().path().equals(granted.path())) {
      forget(granted.key());
      throw refused("the block went away: file=" + granted.key() + ", block=" + granted.block());
    }
  }

  private VdfsException refused(String why) {
    return new VdfsException(ErrorCode.UNSUPPORTED, "no local delivery: " + why);
  }

  synchronized void forget(FileKey file) {
    List<Path> gone = new ArrayList<>();
    links.forEach(
        (path, link) -> {
          if (link.file().equals(file)) {
            gone.add(path);
          }
        });
    for (Path path : gone) {
      Link link = links.remove(path);
      link.directory().remove(link.path());
    }
  }

  /** Takes all names back; what is open already can still be read. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    links.values().forEach(link -> link.directory().remove(link.path()));
    links.clear();
    delivery.onClosed(this);
  }
}
