package io.vdfs.datanode.meta.raft.batch;

import io.vdfs.common.wire.proto.MetaRequest;
import java.util.List;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;

/**
 * Requests on their way through Ratis. Within the process the requests themselves travel; only the
 * log needs their bytes.
 */
public final class RequestBatch implements Message {
  private final List<MetaRequest> requests;
  private final ByteString content;

  private RequestBatch(List<MetaRequest> requests, ByteString content) {
    this.requests = requests;
    this.content = content;
  }

  /**
   * @param level that a member needs to read them
   */
  public static RequestBatch ofMutations(int level, List<MetaRequest> requests) {
    return new RequestBatch(
        requests, UnsafeByteOperations.unsafeWrap(BatchCodec.encode(level, requests)));
  }

  /** Queries are never written anywhere. */
  public static RequestBatch ofQueries(List<MetaRequest> requests) {
    return new RequestBatch(requests, ByteString.EMPTY);
  }

  public List<MetaRequest> requests() {
    return requests;
  }

  @Override
  public ByteString getContent() {
    return content;
  }

  @Override
  public String toString() {
    return "RequestBatch[count=" + requests.size() + ", bytes=" + content.size() + "]";
  }
}
