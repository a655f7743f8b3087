package io.vdfs.common.cluster;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.proto.SignedRecordProto;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Records as they stand in ZooKeeper, see {@code ring.proto}: signed with the cluster key, for one
 * path. A node takes no other record for one of its cluster; which of two signed records is the
 * newer one, the records themselves tell. A process without the key, such as a client, reads
 * without a check. Immutable.
 */
public final class SignedRecords {
  /** The format this release writes and reads. */
  static final int FORMAT_VERSION = 3;

  private static final byte[] KIND = "record".getBytes(StandardCharsets.US_ASCII);
  private static final int MAX_BYTES = RingCodec.MAX_BYTES + 1024;

  private final Optional<MacKey> key;

  private SignedRecords(Optional<MacKey> key) {
    this.key = key;
  }

  /** For a node: signs what it writes, and checks what it reads. */
  public static SignedRecords by(ClusterKey key) {
    return new SignedRecords(Optional.of(key.derive(KeyPurposes.ZOOKEEPER)));
  }

  /** For a process without the key: reads without a check, and can write none. */
  static SignedRecords unchecked() {
    return new SignedRecords(Optional.empty());
  }

  /**
   * The bytes to write.
   *
   * @param path of the znode that shall hold the record, which counts nowhere else
   */
  public byte[] seal(String path, byte[] body) {
    byte[] proof = key.orElseThrow().mac(KIND, bytes(path), body);
    return SignedRecordProto.newBuilder()
        .setFormatVersion(FORMAT_VERSION)
        .setBody(ByteString.copyFrom(body))
        .setProof(ByteString.copyFrom(proof))
        .build()
        .toByteArray();
  }

  /**
   * The record that a znode holds.
   *
   * @throws VdfsException INVALID_ARGUMENT if it is not one that a node of this cluster wrote there
   */
  public byte[] open(String path, byte[] data) throws VdfsException {
    SignedRecordProto signed = parse(path, data);
    byte[] body = signed.getBody().toByteArray();
    byte[] proof = signed.getProof().toByteArray();
    if (key.isPresent() && !key.get().verify(proof, KIND, bytes(path), body)) {
      throw unsigned(path, "bytes=" + data.length, null);
    }
    return body;
  }

  /** Whether what a node wrote there has to be signed anew before the older key is given up. */
  boolean isOfOlderKey(String path, byte[] data) throws VdfsException {
    byte[] body = open(path, data);
    byte[] proof = parse(path, data).getProof().toByteArray();
    return key.isPresent() && !key.get().verifyNewest(proof, KIND, bytes(path), body);
  }

  private static SignedRecordProto parse(String path, byte[] data) throws VdfsException {
    if (data.length > MAX_BYTES) {
      throw unsigned(path, "bytes=%d, limit=%d".formatted(data.length, MAX_BYTES), null);
    }
    SignedRecordProto signed;
    try {
      signed = SignedRecordProto.parseFrom(data);
    } catch (InvalidProtocolBufferException e) {
      throw unsigned(path, "bytes=" + data.length, e);
    }
    if (signed.getFormatVersion() != FORMAT_VERSION) {
      throw unsigned(
          path,
          "version=%s, known=%d"
              .formatted(Integer.toUnsignedString(signed.getFormatVersion()), FORMAT_VERSION),
          null);
    }
    return signed;
  }

  private static VdfsException unsigned(String path, String how, Exception cause) {
    return new VdfsException(
        ErrorCode.INVALID_ARGUMENT,
        "no node with this cluster's key wrote what ZooKeeper holds: path=%s, %s"
            .formatted(path, how),
        cause);
  }

  private static byte[] bytes(String path) {
    return path.getBytes(StandardCharsets.UTF_8);
  }
}
