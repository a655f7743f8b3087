package io.vdfs.client.meta;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallIdProto;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Hands out the ids that make mutations idempotent. Thread-safe. */
final class MutationIds {
  private final ByteString clientId;
  private final AtomicLong calls = new AtomicLong();

  MutationIds(UUID client) {
    this.clientId = WireIds.encode(client);
  }

  CallIdProto next() {
    return CallIdProto.newBuilder().setClientId(clientId).setCall(calls.incrementAndGet()).build();
  }
}
