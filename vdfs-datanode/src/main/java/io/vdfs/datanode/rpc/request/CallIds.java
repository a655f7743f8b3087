package io.vdfs.datanode.rpc.request;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.MetaRequest;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/** Numbers this process' own requests, so that each happens once however often it is sent. */
public final class CallIds {
  private final ByteString client;
  private final AtomicLong calls = new AtomicLong();

  /**
   * @param client random, one value per process
   */
  public CallIds(UUID client) {
    this.client = WireIds.encode(client);
  }

  /** {@code request} with a call id of its own, unless it has one. */
  public MetaRequest identify(MetaRequest request) {
    return request.hasCallId()
        ? request
        : request.toBuilder()
            .setCallId(
                CallIdProto.newBuilder().setClientId(client).setCall(calls.incrementAndGet()))
            .build();
  }
}
