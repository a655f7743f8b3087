package io.vdfs.common.rpc;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.ErrorProto;
import io.vdfs.common.wire.proto.MetaResponse;
import java.util.Optional;

/** Errors as they travel inside responses. */
public final class Errors {
  private Errors() {}

  public static ErrorProto toProto(ErrorCode code, String message) {
    return ErrorProto.newBuilder()
        .setCode(code.name())
        .setMessage(message == null ? "" : message)
        .build();
  }

  public static ErrorProto toProto(VdfsException e) {
    return toProto(e.code(), e.getMessage());
  }

  /** The code of {@code error}; one this release doesn't know counts as INTERNAL. */
  public static ErrorCode code(ErrorProto error) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(error.getCode())) {
        return code;
      }
    }
    return ErrorCode.INTERNAL;
  }

  public static VdfsException toException(ErrorProto error) {
    return new VdfsException(code(error), error.getMessage());
  }

  /**
   * A response that is an error. Every response of the control plane has its error in field 1, so
   * that these bytes are read rightly as any of them.
   */
  public static MetaResponse response(ErrorCode code, String message) {
    return MetaResponse.newBuilder().setError(toProto(code, message)).build();
  }

  public static MetaResponse response(VdfsException e) {
    return response(e.code(), e.getMessage());
  }

  /**
   * @param leader the node to ask, where it is known
   */
  public static MetaResponse notLeader(Optional<NodeId> leader, String message) {
    ErrorProto.Builder error = toProto(ErrorCode.NOT_LEADER, message).toBuilder();
    leader.ifPresent(id -> error.setLeader(NodeIds.toBytes(id)));
    return MetaResponse.newBuilder().setError(error).build();
  }

  /**
   * The leader that a NOT_LEADER error names.
   *
   * @return empty where the error names none
   */
  public static Optional<NodeId> leader(ErrorProto error) {
    ByteString leader = error.getLeader();
    return leader.size() == NodeIds.BYTES ? Optional.of(NodeIds.parse(leader)) : Optional.empty();
  }

  /**
   * @return {@code response} itself where it is no error
   * @throws VdfsException the error it carries
   */
  public static MetaResponse check(MetaResponse response) throws VdfsException {
    if (response.hasError()) {
      throw toException(response.getError());
    }
    return response;
  }
}
