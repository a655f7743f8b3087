package io.vdfs.datanode.meta.raft.batch;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests as they stand in a log entry, with the feature level that a member needs to read it.
 *
 * <pre>
 *   +---------+----------+----------------+-------------+----------------+-------------+---
 *   | version | level    | varint: length | MetaRequest | varint: length | MetaRequest | ...
 *   +---------+----------+----------------+-------------+----------------+-------------+---
 *     1 byte    4 bytes, big-endian
 * </pre>
 */
public final class BatchCodec {
  static final byte VERSION = 2;

  /** Bytes of an entry besides its requests. */
  public static final int HEADER_BYTES = 5;

  private BatchCodec() {}

  /** Bytes that {@code request} takes in an entry. */
  public static int size(MetaRequest request) {
    return CodedOutputStream.computeMessageSizeNoTag(request);
  }

  /**
   * @param level that a member needs to read the entry
   */
  public static byte[] encode(int level, List<MetaRequest> requests) {
    byte[] bytes = new byte[HEADER_BYTES + requests.stream().mapToInt(BatchCodec::size).sum()];
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      out.writeRawByte(VERSION);
      out.writeRawBytes(ByteBuffer.allocate(Integer.BYTES).putInt(0, level));
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
   * @param levels that can be carried out
   * @throws VdfsException UNSUPPORTED if the entry is above or below these levels; CORRUPT if it is
   *     none, or holds what its level cannot hold
   */
  public static List<MetaRequest> decode(ByteBuffer entry, FeatureLevels levels)
      throws VdfsException {
    int bytes = entry.remaining();
    CodedInputStream in = CodedInputStream.newInstance(entry);
    try {
      byte version = in.readRawByte();
      if (version != VERSION) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            "entry of another release: version=%d, known=%d".formatted(version, VERSION));
      }
      int level = ByteBuffer.wrap(in.readRawBytes(Integer.BYTES)).getInt();
      levels.requireReadable("entry", level);
      List<MetaRequest> requests = new ArrayList<>();
      while (!in.isAtEnd()) {
        int limit = in.pushLimit(in.readRawVarint32());
        requests.add(request(in, level, levels));
        in.popLimit(limit);
      }
      return requests;
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw new VdfsException(ErrorCode.CORRUPT, "unreadable entry: bytes=" + bytes, e);
    }
  }

  private static MetaRequest request(CodedInputStream in, int level, FeatureLevels levels)
      throws IOException {
    MetaRequest request = MetaRequest.parseFrom(in);
    int needed = levels.ofOperation(request);
    if (needed > level) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "entry holds what is above its level: op=%s, level=%d, entryLevel=%d"
              .formatted(request.getOpCase(), needed, level));
    }
    return request;
  }
}
