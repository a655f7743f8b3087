package io.vdfs.client.read;

import io.vdfs.client.delivery.DiskReads;
import io.vdfs.client.delivery.LocalFiles;
import io.vdfs.client.delivery.ThreadDiskReads;
import io.vdfs.client.delivery.local.LocalBlockDelivery;
import io.vdfs.client.delivery.segment.SegmentBlockDelivery;
import io.vdfs.client.delivery.socket.SocketBlockDelivery;
import io.vdfs.client.io.BlockDelivery;
import io.vdfs.client.io.ClientIo;
import java.util.List;
import java.util.function.Supplier;

/** The deliveries there are, in the order in which they are tried. */
public final class BlockDeliveries {
  private BlockDeliveries() {}

  /** Those of one client. */
  public static List<BlockDelivery> of(ClientIo io) {
    return of(io, ThreadDiskReads::new, LocalBlockDelivery.WINDOW);
  }

  /**
   * As {@link #of(ClientIo)}, for callers that set the disk's part themselves.
   *
   * @param diskReads gives each open block file one of its own
   * @param window bytes read from a node's files over which they are judged
   */
  public static List<BlockDelivery> of(ClientIo io, Supplier<DiskReads> diskReads, long window) {
    LocalFiles files = LocalFiles.of(io.counters(), diskReads);
    return List.of(
        new LocalBlockDelivery(io, files, window),
        new SegmentBlockDelivery(io, files),
        new SocketBlockDelivery(io));
  }
}
