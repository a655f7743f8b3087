package io.vdfs.client.io;

import io.vdfs.common.wire.FrameDescriptor;
import java.time.Duration;

/**
 * Sizes and time limits of reading and writing. Immutable.
 *
 * @param packetSize most bytes of a packet; rounded down to whole chunks, at least one
 * @param windowBytes most bytes a writer keeps unacknowledged
 * @param ackTimeout silence after which a pipeline's first node counts as failed; longer than the
 *     nodes' own limits, so that the one next to the culprit names it
 * @param openTimeout limit of opening a pipeline
 * @param nodesWait how long a writer waits for nodes that a group cannot be durable without
 * @param readersWait how long a reader goes on asking where no replica can serve
 * @param retryDelay pause before the second try with the same nodes; doubled a few times after that
 * @param readTimeout silence after which a read turns to the next replica
 * @param badNodeMemory how long a node that failed is asked last
 * @param readAheadRequest most bytes of one request ahead
 * @param readAheadRequests requests ahead of a sequential reader
 * @param delivery how bytes of blocks are read
 * @param localFetchPercent share of what is read from block files that may come from the disk
 *     rather than from memory before other deliveries are preferred for a while; 100 for any
 * @param closeUnforced whether files are closed without forcing them
 */
public record IoSettings(
    int packetSize,
    int windowBytes,
    Duration ackTimeout,
    Duration openTimeout,
    Duration nodesWait,
    Duration readersWait,
    Duration retryDelay,
    Duration readTimeout,
    Duration badNodeMemory,
    int readAheadRequest,
    int readAheadRequests,
    Delivery delivery,
    int localFetchPercent,
    boolean closeUnforced) {
  public static final IoSettings DEFAULT =
      new IoSettings(
          FrameDescriptor.MAX_PAYLOAD,
          16 << 20,
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Duration.ofMinutes(2),
          Duration.ofSeconds(10),
          Duration.ofMillis(250),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          8 << 20,
          2,
          Delivery.AUTO,
          50,
          false);

  public IoSettings {
    if (packetSize < 1 || packetSize > FrameDescriptor.MAX_PAYLOAD) {
      throw new IllegalArgumentException(
          "packet size out of range: packetSize=%s, max=%s"
              .formatted(packetSize, FrameDescriptor.MAX_PAYLOAD));
    }
    if (windowBytes < packetSize) {
      throw new IllegalArgumentException(
          "the window must hold a packet: windowBytes=%s, packetSize=%s"
              .formatted(windowBytes, packetSize));
    }
    if (readAheadRequest > 64 << 20) {
      throw new IllegalArgumentException(
          "a read-ahead request is too large: readAheadRequest=%s, max=%s"
              .formatted(readAheadRequest, 64 << 20));
    }
    if (localFetchPercent < 1 || localFetchPercent > 100) {
      throw new IllegalArgumentException(
          "a share is 1 to 100 percent: localFetchPercent=" + localFetchPercent);
    }
    if (readAheadRequest < 1 || readAheadRequests < 1) {
      throw new IllegalArgumentException(
          "read-ahead must be positive: readAheadRequest=%s, readAheadRequests=%s"
              .formatted(readAheadRequest, readAheadRequests));
    }
  }

  /** The same, with another choice of whether files are closed without forcing them. */
  public IoSettings withCloseUnforced(boolean unforced) {
    return new IoSettings(
        packetSize,
        windowBytes,
        ackTimeout,
        openTimeout,
        nodesWait,
        readersWait,
        retryDelay,
        readTimeout,
        badNodeMemory,
        readAheadRequest,
        readAheadRequests,
        delivery,
        localFetchPercent,
        unforced);
  }

  /** The same with another delivery. */
  public IoSettings with(Delivery other) {
    return with(nodesWait, readersWait, readTimeout, other, localFetchPercent);
  }

  /** The same with another patience of writers and readers and another choice of deliveries. */
  public IoSettings with(
      Duration ofWriters,
      Duration ofReaders,
      Duration readSilence,
      Delivery other,
      int fetchPercent) {
    return new IoSettings(
        packetSize,
        windowBytes,
        ackTimeout,
        openTimeout,
        ofWriters,
        ofReaders,
        retryDelay,
        readSilence,
        badNodeMemory,
        readAheadRequest,
        readAheadRequests,
        other,
        fetchPercent,
        closeUnforced);
  }
}
