package io.vdfs.client.delivery.segment;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.Delivery;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.wire.proto.SegmentAttach;

/** What a client's segment delivery has attached, for tests that look inside. */
public final class Attachments {
  private Attachments() {}

  /** Number of connections that have a segment or wait for one. */
  public static int count(ClientIo client) {
    return segments(client).count();
  }

  /** Free slots of the segment of a connection, which is attached if it is not yet. */
  public static int freeSlots(ClientIo client, DataConnection connection, SegmentAttach request) {
    return segments(client).of(connection, request).join().slots().freeSlots();
  }

  private static AttachedSegments segments(ClientIo client) {
    return ((SegmentBlockDelivery) client.delivery(Delivery.SEGMENT)).segments();
  }
}
