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
import java.util.Optional;
import java.util.UUID;

/**
 * Ids and errors as they stand in messages. What comes in is checked: bad input gives a
 * VdfsException INVALID_ARGUMENT with the value. Stateless.
 */
public final class WireIds {
  /** Bytes of an id in a message, big-endian. */
  public static final int ID_BYTES = 2 * Long.BYTES;

  private WireIds() {}

  public static ByteString encode(UUID id) {
    ByteBuffer bytes = ByteBuffer.allocate(ID_BYTES);
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
    return error(error.code(), error.getMessage());
  }

  /**
   * @param message null for none
   */
  public static ErrorProto error(ErrorCode code, String message) {
    return ErrorProto.newBuilder()
        .setCode(code.name())
        .setMessage(message == null ? "" : message)
        .build();
  }

  /**
   * @param what the id's role, for the message
   */
  public static UUID uuid(String what, ByteString bytes) throws VdfsException {
    if (bytes.size() != ID_BYTES) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, what + " must have 16 bytes: bytes=" + bytes.size());
    }
    return read(bytes);
  }

  public static NodeId nodeId(ByteString bytes) throws VdfsException {
    return new NodeId(uuid("node id", bytes));
  }

  /**
   * The node of a field that need not be set.
   *
   * @return empty where the bytes are not those of an id
   */
  public static Optional<NodeId> nodeIdIfSet(ByteString bytes) {
    return bytes.size() == ID_BYTES ? Optional.of(new NodeId(read(bytes))) : Optional.empty();
  }

  private static UUID read(ByteString bytes) {
    ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  public static FileKey fileKey(FileKeyProto file) throws VdfsException {
    if (file.getFileId() <= 0 || file.getGeneration() <= 0) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "fileId and generation must be positive: fileId=%s, generation=%s"
              .formatted(file.getFileId(), file.getGeneration()));
    }
    return new FileKey(file.getFileId(), file.getGeneration());
  }

  /** The bound in a message; where the message is not set, everything counts. */
  public static LeaseBound leaseBound(LeaseBoundProto lease) throws VdfsException {
    if (lease.getStartLength() < 0 || lease.getFirstEpoch() < 0) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a lease begins at a length and an epoch: startLength=%s, firstEpoch=%s"
              .formatted(lease.getStartLength(), lease.getFirstEpoch()));
    }
    return new LeaseBound(lease.getStartLength(), lease.getFirstEpoch());
  }

  /** The exception that an error message stands for. */
  public static VdfsException exception(ErrorProto error) {
    return new VdfsException(errorCode(error), error.getMessage());
  }

  /** The code of {@code error}; one this release doesn't know counts as INTERNAL. */
  public static ErrorCode errorCode(ErrorProto error) {
    for (ErrorCode code : ErrorCode.values()) {
      if (code.name().equals(error.getCode())) {
        return code;
      }
    }
    return ErrorCode.INTERNAL;
  }
}
