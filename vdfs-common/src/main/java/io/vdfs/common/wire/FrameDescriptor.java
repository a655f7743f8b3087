package io.vdfs.common.wire;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Layout of a frame on a data connection. All numbers are big-endian and unsigned.
 *
 * <pre>
 *   0  length         4   of everything behind this field: 12 + header + payload
 *   4  version        1   1
 *   5  type           1   {@link FrameType#code()}
 *   6  header length  2
 *   8  stream id      4   chosen by the connecting side, unique per connection
 *  12  check          4   CRC32C of bytes 0 to 11 and the header
 *  16  header             protobuf message of the type, see transfer.proto
 *      payload            the rest; what it must be stands in the header
 * </pre>
 *
 * <p>The fixed part, bytes 0 to 15, is checked as a whole before anything is allocated for the
 * rest, so a peer can make a node set aside {@link #MAX_LENGTH} bytes at most. The check makes sure
 * that a damaged acknowledgement, offset or file id is never taken for a sound one.
 */
public final class FrameDescriptor {
  public static final int VERSION = 1;

  /** Most bytes that may follow the length field. */
  public static final int MAX_LENGTH = 2 << 20;

  /** Most payload bytes of a packet or a piece of an answer. */
  public static final int MAX_PAYLOAD = 1 << 20;

  public static final int LENGTH_OFFSET = 0;
  public static final int VERSION_OFFSET = LENGTH_OFFSET + Integer.BYTES;
  public static final int TYPE_OFFSET = VERSION_OFFSET + Byte.BYTES;
  public static final int HEADER_LENGTH_OFFSET = TYPE_OFFSET + Byte.BYTES;
  public static final int STREAM_ID_OFFSET = HEADER_LENGTH_OFFSET + Short.BYTES;

  public static final int CHECK_OFFSET = STREAM_ID_OFFSET + Integer.BYTES;

  /** Bytes of the fixed part. */
  public static final int FIXED_SIZE = CHECK_OFFSET + Integer.BYTES;

  private static final int COUNTED_FIXED = FIXED_SIZE - VERSION_OFFSET;

  private FrameDescriptor() {}

  /**
   * Value of the length field for a frame.
   *
   * @throws IllegalArgumentException if the parts do not fit into a frame of the type
   */
  public static int lengthOf(FrameType type, int header, int payload) {
    if (header > type.maxHeader() || payload > MAX_PAYLOAD) {
      throw new IllegalArgumentException(
          "frame too large: type=%s, header=%s, maxHeader=%s, payload=%s, maxPayload=%s"
              .formatted(type, header, type.maxHeader(), payload, MAX_PAYLOAD));
    }
    return COUNTED_FIXED + header + payload;
  }

  /**
   * Checks the fixed part of a frame that came in.
   *
   * @param length the length field as read, negative where it exceeds 2 GiB
   * @return bytes of the payload
   * @throws VdfsException INVALID_ARGUMENT naming the first field that no sound peer would send
   */
  public static int payloadLength(int length, int version, byte type, int headerLength)
      throws VdfsException {
    if (length < COUNTED_FIXED || length > MAX_LENGTH) {
      throw malformed(
          "frame length out of range: length=%s, min=%s, max=%s"
              .formatted(Integer.toUnsignedLong(length), COUNTED_FIXED, MAX_LENGTH));
    }
    if (version != VERSION) {
      throw malformed("unknown frame version: version=" + version + ", known=" + VERSION);
    }
    FrameType known =
        FrameType.ofCode(type).orElseThrow(() -> malformed("unknown frame type: type=" + type));
    if (headerLength > known.maxHeader()) {
      throw malformed(
          "frame header too large: type=%s, headerLength=%s, max=%s"
              .formatted(known, headerLength, known.maxHeader()));
    }
    int payload = length - COUNTED_FIXED - headerLength;
    if (payload < 0) {
      throw malformed(
          "frame header longer than its frame: headerLength=%s, length=%s"
              .formatted(headerLength, length));
    }
    if (payload > MAX_PAYLOAD) {
      throw malformed("payload too large: payload=" + payload + ", max=" + MAX_PAYLOAD);
    }
    return payload;
  }

  /**
   * Value of the check field.
   *
   * @param start the fixed part up to the check field
   */
  public static int check(ByteBuffer start, ByteBuffer header) {
    CRC32C crc = new CRC32C();
    crc.update(start.duplicate());
    crc.update(header.duplicate());
    return (int) crc.getValue();
  }

  /**
   * Compares the check field with what came in.
   *
   * @throws VdfsException CORRUPT if they differ
   */
  public static void requireCheck(int expected, ByteBuffer start, ByteBuffer header)
      throws VdfsException {
    int actual = check(start, header);
    if (actual != expected) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "frame arrived damaged: check=%s, computed=%s"
              .formatted(Integer.toHexString(expected), Integer.toHexString(actual)));
    }
  }

  private static VdfsException malformed(String message) {
    return new VdfsException(ErrorCode.INVALID_ARGUMENT, message);
  }
}
