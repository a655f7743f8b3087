package io.vdfs.datanode.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;

/** Reads bodies of requests, which may be anything. */
final class Bodies {
  private Bodies() {}

  /**
   * @throws VdfsException INVALID_ARGUMENT if this is no such message
   */
  static <T extends MessageLite> T parse(String method, byte[] body, Parser<T> parser)
      throws VdfsException {
    try {
      return parser.parseFrom(body);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "unreadable request: method=%s, bytes=%d, error=%s"
              .formatted(method, body.length, e.getMessage()),
          e);
    }
  }
}
