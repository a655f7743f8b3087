package io.vdfs.common.wire;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.ErrorProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.LeaseBoundProto;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Ids and errors as they stand in messages. What comes in is checked: bad input gives a
 * VdfsException INVALID_ARGUMENT with the value. Stateless.
 */
public final class WireIds {
  private static final int UUID_BYTES = 2 * Long.BYTES;

  private WireIds() {}

  public static ByteString encode(UUID id) {
    ByteBuffer bytes = ByteBuffer.allocate(UUID_BYTES);
    bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits()).flip();
    return ByteString.copyFrom(bytes);
  }

  public static ByteString encode(NodeId node) {
    return encode(node.uuid());
  }

  public static FileKeyProto encode(FileKey file) {
    return FileKeyProto.newBuilder()
        .setFileId(file.fileId())
        .setGeneration(file.generation())
        .build();
  }

  public static LeaseBoundProto encode(LeaseBound lease) {
    return LeaseBoundProto.newBuilder()
        .setStartLength(lease.startLength())
        .setFirstEpoch((int) lease.firstEpoch())
        .build();
  }

  public static ErrorProto encode(VdfsException error) {
    return ErrorProto.newBuilder()
        .setCode(error.code().name())
        .setMessage(String.valueOf(error.getMessage()))
        .build();
  }

  public static UUID uuid(ByteString bytes) throws VdfsException {
    if (bytes.size() != UUID_BYTES) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "an id has 16 bytes: length=" + bytes.size());
    }
    ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  public static NodeId nodeId(ByteString bytes) throws VdfsException {
    return new NodeId(uuid(bytes));
  }

  public static FileKey fileKey(FileKeyProto file) throws VdfsException {
    if (file.getFileId() <= 0 || file.getGeneration() <= 0) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "fileId and generation must be positive: fileId="
              + file.getFileId()
              + ", generation="
              + file.getGeneration());
    }
    return new FileKey(file.getFileId(), file.getGeneration());
  }

  /** Of a message that is not there: everything counts. */
  public static LeaseBound leaseBound(LeaseBoundProto lease) throws VdfsException {
    if (lease.getStartLength() < 0 || lease.getFirstEpoch() < 0) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a lease begins at a length and an epoch: startLength="
              + lease.getStartLength()
              + ", firstEpoch="
              + lease.getFirstEpoch());
    }
    return new LeaseBound(lease.getStartLength(), lease.getFirstEpoch());
  }

  /**
   * The exception that an error message stands for; a code this release does not know is INTERNAL.
   */
  public static VdfsException exception(ErrorProto error) {
    return new VdfsException(errorCode(error.getCode()), error.getMessage());
  }

  private static ErrorCode errorCode(String name) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(name)) {
        return code;
      }
    }
    return ErrorCode.INTERNAL;
  }
}
