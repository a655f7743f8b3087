package io.vdfs.client.trace;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The operation that a record is about. Codes are part of the format: never change or reuse one.
 */
public enum TraceOp {
  // names
  OPEN(1),
  OPEN_HANDLE(2),
  CREATE(3),
  APPEND(4),
  RENAME(5),
  DELETE(6),
  DELETE_ON_EXIT(7),
  MKDIRS(8),
  STATUS(9),
  LIST(10),
  /** The entries of an iterator after the call that made it, once it came to its end. */
  LIST_NEXT(11),
  GLOB(12),
  LOCATIONS(13),
  SUMMARY(14),
  GET_QUOTA(15),
  SET_QUOTA(16),
  CHECKSUM(17),
  TRUNCATE(18),
  CONCAT(19),
  SET_REPLICATION(20),
  SET_PERMISSION(21),
  SET_OWNER(22),
  SET_TIMES(23),
  ACCESS(24),
  GET_ACL(25),
  SET_ACL(26),
  GET_XATTR(27),
  SET_XATTR(28),
  SYMLINK(29),
  LINK_TARGET(30),
  SNAPSHOT(31),
  GET_POLICY(32),
  SET_POLICY(33),
  SPACE(34),
  SERVER_DEFAULTS(35),
  MSYNC(36),
  RECOVER_LEASE(37),
  IS_CLOSED(38),
  PATH_HANDLE(39),
  RESOLVE(40),
  TOKEN(41),
  COPY_FROM_LOCAL(42),
  COPY_TO_LOCAL(43),
  BULK_DELETE(44),
  UPLOAD_START(45),
  UPLOAD_PART(46),
  UPLOAD_COMPLETE(47),
  UPLOAD_ABORT(48),
  CAPABILITY(49),
  CORRUPT_BLOCKS(50),
  TRASH_ROOTS(51),
  BATCHED_LIST(52),

  // streams that are read
  READ(64),
  READ_BUFFER(65),
  READ_POOLED(66),
  PREAD(67),
  PREAD_BUFFER(68),
  /** The call; each of its ranges has a record of its own once it is complete. */
  READ_VECTORED(69),
  READ_RANGE(70),
  SEEK(71),
  SKIP(72),
  SEEK_NEW_SOURCE(73),
  AVAILABLE(74),
  SET_READAHEAD(75),
  SET_DROP_BEHIND(76),
  UNBUFFER(77),
  RELEASE_BUFFER(78),
  CLOSE_INPUT(79),

  // streams that are written
  WRITE(96),
  FLUSH(97),
  HFLUSH(98),
  HSYNC(99),
  ABORT(100),
  CLOSE_OUTPUT(101),

  /** Below the read-ahead buffer: bytes asked of a node. */
  FETCH(120);

  private static final Map<Integer, TraceOp> BY_CODE = new HashMap<>();

  static {
    for (TraceOp op : values()) {
      BY_CODE.put(op.code, op);
    }
  }

  private final int code;

  TraceOp(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  /** Its printed name: {@code read-vectored}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The label of a code; {@code op-N} of one that a later release has. */
  static String label(int code) {
    TraceOp op = BY_CODE.get(code);
    return op == null ? "op-" + code : op.label();
  }
}
