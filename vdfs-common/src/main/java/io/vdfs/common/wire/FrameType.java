package io.vdfs.common.wire;

import java.util.Optional;

/**
 * Kind of a data-plane frame. The code is part of the wire format: never change one. The header is
 * limited by kind, as a request is kept for as long as it waits.
 */
public enum FrameType {
  WRITE_OPEN(1, 8 << 10),
  /** With room for the checksums of the smallest chunks. */
  WRITE_PACKET(2, 16 << 10),
  WRITE_ACK(3),
  READ_REQUEST(4, 8 << 10),
  READ_DATA(5),
  REPLICA_REQUEST(6, 8 << 10),
  REPLICA_RESPONSE(7),
  /** The connecting side gives the stream up; it has no header and no payload. */
  CANCEL(8, 0),
  LOCAL_REQUEST(9, 8 << 10),
  LOCAL_GRANT(10),
  SEGMENT_ATTACH(11, 8 << 10),
  SEGMENT_OFFER(12),
  SEGMENT_REQUEST(13, 8 << 10),
  SEGMENT_GRANT(14);

  /** Most bytes of any header; see {@link #maxHeader()} for those of one. */
  public static final int MAX_HEADER = (64 << 10) - 1;

  private static final FrameType[] BY_CODE = new FrameType[15];

  static {
    for (FrameType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final byte code;
  private final int maxHeader;

  FrameType(int code) {
    this(code, MAX_HEADER);
  }

  FrameType(int code, int maxHeader) {
    this.code = (byte) code;
    this.maxHeader = maxHeader;
  }

  public byte code() {
    return code;
  }

  /** Most bytes of the header. */
  public int maxHeader() {
    return maxHeader;
  }

  public static Optional<FrameType> ofCode(byte code) {
    return code < 0 || code >= BY_CODE.length
        ? Optional.empty()
        : Optional.ofNullable(BY_CODE[code]);
  }
}
