package io.vdfs.datanode.meta.raft.batch;

import io.vdfs.common.wire.proto.MetaResponse;
import java.util.List;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Responses on their way through Ratis, one per request; they never leave the process that way. */
public record ResponseBatch(List<MetaResponse> responses) implements Message {
  @Override
  public ByteString getContent() {
    return ByteString.EMPTY;
  }
}
