package io.vdfs.client.io;

import io.vdfs.common.net.DataConnection;
import io.vdfs.common.wire.proto.RingAttach;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** The rings of this process, one per connection, forgotten with it. Thread-safe. */
final class Rings {
  private final Map<DataConnection, RingAttachment> attachments = new ConcurrentHashMap<>();

  /**
   * The ring of a connection, asked for by its first user.
   *
   * @return fails with UNSUPPORTED where there is none; it is asked for anew then
   */
  CompletableFuture<Ring> of(DataConnection connection, RingAttach request) {
    RingAttachment fresh = new RingAttachment(() -> attachments.remove(connection));
    RingAttachment known = attachments.putIfAbsent(connection, fresh);
    if (known != null) {
      return known.ring();
    }
    fresh.start(connection, request);
    return fresh.ring();
  }

  /** Number of connections that have a ring or wait for one. */
  int count() {
    return attachments.size();
  }
}
