package io.vdfs.datanode.meta.op.change;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.SentText;

/** Bounds of single fields; each refusal is INVALID_ARGUMENT with the field and its value. */
public final class Checks {
  private static final int ID_BYTES = 16;
  private static final int MAX_MODE = 01777;
  private static final int MAX_NAME = 255;

  private Checks() {}

  public static int mode(int mode) throws VdfsException {
    if (mode < 0 || mode > MAX_MODE) {
      throw Refusals.invalid("a mode is 0 to 1777: mode=" + Integer.toOctalString(mode));
    }
    return mode;
  }

  public static ByteString id(ByteString id, String field) throws VdfsException {
    if (id.size() != ID_BYTES) {
      throw Refusals.invalid("an id has 16 bytes: " + field + ".size=" + id.size());
    }
    return id;
  }

  public static String principal(String name, String field) throws VdfsException {
    if (name.isEmpty() || name.length() > MAX_NAME || name.chars().anyMatch(c -> c < ' ')) {
      throw Refusals.invalid(
          "a name has 1 to 255 printable characters: " + field + "=" + SentText.shown(name));
    }
    return name;
  }

  public static long notNegative(long value, String field) throws VdfsException {
    if (value < 0) {
      throw Refusals.invalid(
          "a value is out of range: " + field + "=" + Long.toUnsignedString(value));
    }
    return value;
  }

  public static int replication(int replication, MetaContext context) throws VdfsException {
    int limit = context.settings().limits().replication();
    if (replication < 1 || replication > limit) {
      throw Refusals.invalid(
          "replication is out of range: replication=%s, limit=%s"
              .formatted(Integer.toUnsignedString(replication), limit));
    }
    return replication;
  }

  public static long fileLength(long length, MetaContext context) throws VdfsException {
    long limit = context.settings().maxFileLength();
    if (length < 0 || length > limit) {
      throw Refusals.invalid(
          "length is out of range: length=" + Long.toUnsignedString(length) + ", limit=" + limit);
    }
    return length;
  }
}
