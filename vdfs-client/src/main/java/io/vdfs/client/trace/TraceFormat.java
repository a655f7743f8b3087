package io.vdfs.client.trace;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The layout of a trace file. Numbers of fixed width are big-endian; other numbers are varints:
 * seven bits a byte, the lowest first, the highest bit set in all but the last byte. Signed ones
 * are zigzag. A text is its length in bytes and UTF-8.
 *
 * <pre>
 *   file   := MAGIC frame*
 *   frame  := length(int) crc32c(int) payload          the payload is length bytes of whole records
 *   record := HEADER version epochSeconds nanos beganNanos(signed) host pid attempt
 *           | PATH id text | THREAD id text | ERROR id text
 *           | CALL op flags start(signed, after that of the call before) duration thread
 *               [path] [target] [offset(signed) length(signed)] [calls] [result(signed)] [error]
 *           | DROPPED count                            records lost since the last DROPPED
 *           | END records dropped                      nothing follows
 * </pre>
 *
 * <p>A field in brackets is there if its flag is set. An id stands for a text from its definition
 * on. The header is the first record. A file without END is cut, or is still being written.
 */
final class TraceFormat {
  static final byte[] MAGIC = "VDFSTRC1".getBytes(StandardCharsets.US_ASCII);
  static final int VERSION = 1;
  static final int FRAME_HEAD = 2 * Integer.BYTES;

  /** Of one frame; a reader takes a longer one for damage. */
  static final int MOST_PAYLOAD = 1 << 20;

  static final int HEADER = 1;
  static final int PATH = 2;
  static final int THREAD = 3;
  static final int ERROR = 4;
  static final int CALL = 5;
  static final int DROPPED = 6;
  static final int END = 7;

  static final int HAS_PATH = 1;
  static final int HAS_TARGET = 1 << 1;
  static final int HAS_RANGE = 1 << 2;
  static final int HAS_CALLS = 1 << 3;
  static final int HAS_RESULT = 1 << 4;
  static final int HAS_ERROR = 1 << 5;

  private TraceFormat() {}

  static int checksum(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  static long zigzag(long value) {
    return (value << 1) ^ (value >> 63);
  }

  static long unzigzag(long value) {
    return (value >>> 1) ^ -(value & 1);
  }

  /**
   * @throws java.nio.BufferUnderflowException if the number does not end
   */
  static long varint(ByteBuffer from) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = from.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("a number that is too long");
  }

  static String text(ByteBuffer from) {
    long length = varint(from);
    if (length < 0 || length > from.remaining()) {
      throw new IllegalArgumentException("a text that is too long: length=" + length);
    }
    byte[] bytes = new byte[(int) length];
    from.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
