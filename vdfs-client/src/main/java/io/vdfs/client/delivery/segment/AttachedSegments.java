package io.vdfs.client.delivery.segment;

import io.vdfs.common.net.DataConnection;
import io.vdfs.common.wire.proto.SegmentAttach;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The segments of this process, one per connection, forgotten with it. Thread-safe. */
final class AttachedSegments {
  private final Map<DataConnection, SegmentAttachment> attachments = new ConcurrentHashMap<>();

  /**
   * The segment of a connection, asked for by its first user.
   *
   * @return fails with UNSUPPORTED where there is none; the next call then asks for it anew
   */
  CompletableFuture<AttachedSegment> of(DataConnection connection, SegmentAttach request) {
    SegmentAttachment fresh = new SegmentAttachment(() -> attachments.remove(connection));
    SegmentAttachment known = attachments.putIfAbsent(connection, fresh);
    if (known != null) {
      return known.segment();
    }
    fresh.start(connection, request);
    return fresh.segment();
  }

  /** Number of connections that have a segment or wait for one. */
  int count() {
    return attachments.size();
  }
}
