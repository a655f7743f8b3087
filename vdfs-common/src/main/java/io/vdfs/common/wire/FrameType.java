package io.vdfs.common.wire;

import java.util.Optional;

/** Kind of a data-plane frame. The code is part of the wire format: never change one. */
public enum FrameType {
  WRITE_OPEN(1),
  WRITE_PACKET(2),
  WRITE_ACK(3),
  READ_REQUEST(4),
  READ_DATA(5),
  REPLICA_REQUEST(6),
  REPLICA_RESPONSE(7),
  /** The connecting side gives the stream up; it has no header and no payload. */
  CANCEL(8),
  LOCAL_REQUEST(9),
  LOCAL_GRANT(10),
  RING_ATTACH(11),
  RING_SEGMENT(12),
  RING_REQUEST(13),
  RING_GRANT(14);

  private static final FrameType[] BY_CODE = new FrameType[15];

  static {
    for (FrameType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final byte code;

  FrameType(int code) {
    this.code = (byte) code;
  }

  public byte code() {
    return code;
  }

  public static Optional<FrameType> ofCode(byte code) {
    return code < 0 || code >= BY_CODE.length
        ? Optional.empty()
        : Optional.ofNullable(BY_CODE[code]);
  }
}
