package io.vdfs.datanode.meta.state;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ErrorProto;
import io.vdfs.common.wire.proto.MetaResponse;

/** The refusals that several operations share, and how a refusal travels. */
public final class Refusals {
  private Refusals() {}

  public static VdfsException invalid(String message) {
    return new VdfsException(ErrorCode.INVALID_ARGUMENT, message);
  }

  public static VdfsException notFound(MetaPath path) {
    return new VdfsException(ErrorCode.NOT_FOUND, "no such file or directory: path=" + path);
  }

  public static VdfsException parentNotFound(MetaPath path) {
    return new VdfsException(ErrorCode.NOT_FOUND, "parent directory does not exist: path=" + path);
  }

  public static VdfsException alreadyExists(MetaPath path) {
    return new VdfsException(ErrorCode.ALREADY_EXISTS, "exists already: path=" + path);
  }

  public static VdfsException notADirectory(String path) {
    return new VdfsException(ErrorCode.NOT_A_DIRECTORY, "is not a directory: path=" + path);
  }

  public static VdfsException isADirectory(MetaPath path) {
    return new VdfsException(ErrorCode.IS_A_DIRECTORY, "is a directory: path=" + path);
  }

  public static VdfsException notEmpty(MetaPath path) {
    return new VdfsException(ErrorCode.DIRECTORY_NOT_EMPTY, "directory is not empty: path=" + path);
  }

  public static MetaResponse response(VdfsException refusal) {
    return response(refusal.code(), refusal.getMessage());
  }

  public static MetaResponse response(ErrorCode code, String message) {
    return MetaResponse.newBuilder()
        .setError(ErrorProto.newBuilder().setCode(code.name()).setMessage(message))
        .build();
  }
}
