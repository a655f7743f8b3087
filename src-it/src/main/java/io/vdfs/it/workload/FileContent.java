package io.vdfs.it.workload;

import java.util.ArrayList;
import java.util.List;

/**
 * The content of a file: pieces, each with bytes of its own that follow from the number of the
 * piece and the position in the file, so that the bytes of an earlier and of a later writer at one
 * position differ. Immutable.
 */
record FileContent(List<Piece> pieces) {
  static final FileContent EMPTY = new FileContent(List.of());

  /**
   * Bytes that one writer wrote in one go.
   *
   * @param number different for each writer and call
   * @param end position in the file, exclusive; it begins where the piece before ends
   */
  record Piece(long number, long end) {}

  FileContent {
    pieces = List.copyOf(pieces);
  }

  long length() {
    return pieces.isEmpty() ? 0 : pieces.get(pieces.size() - 1).end();
  }

  /** This content with {@code bytes} more, at least one. */
  FileContent with(long number, int bytes) {
    List<Piece> longer = new ArrayList<>(pieces);
    longer.add(new Piece(number, length() + bytes));
    return new FileContent(longer);
  }

  /** The first {@code length} bytes, of at least as many. */
  FileContent prefix(long length) {
    List<Piece> kept = new ArrayList<>();
    long start = 0;
    for (Piece piece : pieces) {
      if (start < length) {
        kept.add(new Piece(piece.number(), Math.min(piece.end(), length)));
      }
      start = piece.end();
    }
    return new FileContent(kept);
  }

  /** The bytes from {@code from} to {@code to}, exclusive, which must be there. */
  byte[] bytes(long from, long to) {
    byte[] bytes = new byte[Math.toIntExact(to - from)];
    long start = 0;
    for (Piece piece : pieces) {
      long first = Math.max(start, from);
      long end = Math.min(piece.end(), to);
      for (long position = first; position < end; position++) {
        bytes[Math.toIntExact(position - from)] = byteAt(piece.number(), position);
      }
      start = piece.end();
    }
    return bytes;
  }

  byte[] bytes() {
    return bytes(0, length());
  }

  private static byte byteAt(long number, long position) {
    long mixed = (number * 0x9e3779b97f4a7c15L + position / Long.BYTES + 1) * 0xbf58476d1ce4e5b9L;
    return (byte) ((mixed ^ (mixed >>> 31)) >>> (8 * (position % Long.BYTES)));
  }
}
