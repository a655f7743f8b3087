package io.vdfs.datanode.meta.raft;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests as they stand in a log entry.
 *
 * <pre>
 *   +---------+----------------+-------------+----------------+-------------+---
 *   | version | varint: length | MetaRequest | varint: length | MetaRequest | ...
 *   +---------+----------------+-------------+----------------+-------------+---
 *     1 byte
 * </pre>
 */
final class BatchCodec {
  static final byte VERSION = 1;

  /** Bytes of an entry besides its requests. */
  static final int HEADER_BYTES = 1;

  private BatchCodec() {}

  /** Bytes that {@code request} takes in an entry. */
  static int size(MetaRequest request) {
    return CodedOutputStream.computeMessageSizeNoTag(request);
  }

  static byte[] encode(List<MetaRequest> requests) {
    byte[] bytes = new byte[HEADER_BYTES + requests.stream().mapToInt(BatchCodec::size).sum()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      out.writeRawByte(VERSION);
      for (MetaRequest request : requests) {
        out.writeMessageNoTag(request);
      }
      out.checkNoSpaceLeft();
    } catch (IOException e) {
      throw new UncheckedIOException("entry has not the size computed: bytes=" + bytes.length, e);
    }
    return bytes;
  }

  /**
   * @param entry may be reused by the caller afterwards
   * @throws VdfsException CORRUPT if these are no requests
   */
  static List<MetaRequest> decode(ByteBuffer entry) throws VdfsException {
    int bytes = entry.remaining();
    CodedInputStream in = CodedInputStream.newInstance(entry);
    try {
      byte version = in.readRawByte();
      if (version != VERSION) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            "log entry of another release: version=%d, known=%d".formatted(version, VERSION));
      }
      List<MetaRequest> requests = new ArrayList<>();
      while (!in.isAtEnd()) {
        int limit = in.pushLimit(in.readRawVarint32());
        requests.add(MetaRequest.parseFrom(in));
        in.popLimit(limit);
      }
      return requests;
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw new VdfsException(ErrorCode.CORRUPT, "unreadable log entry: bytes=" + bytes, e);
    }
  }
}
