package io.vdfs.common.rpc;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ErrorProto;
import io.vdfs.common.wire.proto.MetaResponse;
import java.util.Optional;

/** Errors as they travel inside responses. */
public final class Errors {
  private Errors() {}

  /**
   * A response that is an error. Every response of the control plane has its error in field 1, so
   * that these bytes can be read as any of them.
   */
  public static MetaResponse response(ErrorCode code, String message) {
    return MetaResponse.newBuilder().setError(WireIds.error(code, message)).build();
  }

  public static MetaResponse response(VdfsException e) {
    return response(e.code(), e.getMessage());
  }

  /**
   * @param leader the node to ask, where it is known
   */
  public static MetaResponse notLeader(Optional<NodeId> leader, String message) {
    ErrorProto.Builder error = WireIds.error(ErrorCode.NOT_LEADER, message).toBuilder();
    leader.ifPresent(id -> error.setLeader(WireIds.encode(id)));
    return MetaResponse.newBuilder().setError(error).build();
  }

  /**
   * The leader that a NOT_LEADER error names.
   *
   * @return empty where the error names none
   */
  public static Optional<NodeId> leader(ErrorProto error) {
    return WireIds.nodeIdIfSet(error.getLeader());
  }

  /**
   * @return {@code response} itself where it is no error
   * @throws VdfsException the error it carries
   */
  public static MetaResponse check(MetaResponse response) throws VdfsException {
    if (response.hasError()) {
      throw WireIds.exception(response.getError());
    }
    return response;
  }
}
