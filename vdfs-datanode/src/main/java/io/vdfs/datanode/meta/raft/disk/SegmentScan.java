package io.vdfs.datanode.meta.raft.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.CodedInputStream;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;

/**
 * The contents of one file of a member's log.
 *
 * <pre>
 *  0  "RaftLog1"
 *  8  entries, each: length (varint) | LogEntryProto | CRC32C of both (4 bytes, big endian)
 *     zeroes up to the end, where room was made in advance
 * </pre>
 *
 * Ratis takes a file that ends within an entry for one whose last entry was never acknowledged, and
 * refuses any other damage; it can't know better, as it does not look behind the damage.
 *
 * @param last newest entry before the damage or the end; index one below the file's first where
 *     there is none
 * @param soundBytes up to the end of that entry
 * @param damaged whether anything but zeroes follows, or the file ends within an entry
 * @param behind newest entry that can be read behind the damage; {@link TermIndex#INITIAL_VALUE}
 *     where there is none
 * @param members of the newest configuration before the damage, by number; -1 where there is none
 */
public record SegmentScan(
    TermIndex last, int soundBytes, boolean damaged, TermIndex behind, int members) {
  private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.UTF_8);
  private static final int CHECKSUM_BYTES = Integer.BYTES;
  private static final int MOST_VARINT_BYTES = 5;

  /** How LogEntryProto begins: fields 1 and 2 are term and index, varints. */
  private static final int TERM_TAG = 8;

  private static final int INDEX_TAG = 16;

  /**
   * Bytes behind damage are taken for an entry only if its index is higher by no more than this.
   */
  private static final long MOST_ENTRIES = 1 << 24;

  /**
   * @param first index that the file's name says
   */
  public static SegmentScan of(byte[] bytes, long first) {
    return new Scanner(bytes, first).scan();
  }

  private static final class Scanner {
    private final byte[] bytes;
    private final CRC32C checksum = new CRC32C();
    private TermIndex last;
    private int position;
    private int members = -1;

    /** The end of the entry that was read last. */
    private int entryEnd;

    Scanner(byte[] bytes, long first) {
      this.bytes = bytes;
      this.last = TermIndex.valueOf(0, first - 1);
    }

    SegmentScan scan() {
      int matching =
          Arrays.mismatch(
              bytes, 0, Math.min(bytes.length, HEADER.length), HEADER, 0, HEADER.length);
      if (matching >= 0 && matching < HEADER.length) {
        // the header is written and forced before any entry
        return end(!isZero(matching));
      }
      position = HEADER.length;
      while (position < bytes.length && bytes[position] != 0) {
        LogEntryProto entry = entryAt(position);
        if (entry == null || entry.getIndex() != last.getIndex() + 1) {
          return end(true);
        }
        last = TermIndex.valueOf(entry.getTerm(), entry.getIndex());
        position = entryEnd;
        if (entry.hasConfigurationEntry()) {
          members = entry.getConfigurationEntry().getPeersCount();
        }
      }
      return end(!isZero(position));
    }

    private boolean isZero(int from) {
      for (int i = from; i < bytes.length; i++) {
        if (bytes[i] != 0) {
          return false;
        }
      }
      return true;
    }

    private SegmentScan end(boolean damaged) {
      return new SegmentScan(
          last, position, damaged, damaged ? behind() : TermIndex.INITIAL_VALUE, members);
    }

    private TermIndex behind() {
      TermIndex newest = TermIndex.INITIAL_VALUE;
      int at = position + 1;
      while (at < bytes.length) {
        LogEntryProto entry = looksLikeEntry(at) ? entryAt(at) : null;
        if (entry == null) {
          at++;
        } else {
          if (entry.getIndex() > newest.getIndex()) {
            newest = TermIndex.valueOf(entry.getTerm(), entry.getIndex());
          }
          at = entryEnd;
        }
      }
      return newest;
    }

    /** Cheap, and almost never wrong, so that few checksums are computed in vain. */
    private boolean looksLikeEntry(int at) {
      int content = skipVarint(at);
      if (content < 0 || content >= bytes.length || bytes[content] != TERM_TAG) {
        return false;
      }
      int afterTerm = skipVarint(content + 1);
      if (afterTerm < 0 || afterTerm >= bytes.length || bytes[afterTerm] != INDEX_TAG) {
        return false;
      }
      try {
        long index =
            CodedInputStream.newInstance(bytes, afterTerm + 1, bytes.length - afterTerm - 1)
                .readUInt64();
        return index > last.getIndex() && index - last.getIndex() < MOST_ENTRIES;
      } catch (IOException e) {
        return false;
      }
    }

    /** Negative where there is none. */
    private int skipVarint(int at) {
      for (int i = at; i < bytes.length && i < at + 2 * MOST_VARINT_BYTES; i++) {
        if (bytes[i] >= 0) {
          return i + 1;
        }
      }
      return -1;
    }

    /** Null where there is no whole and undamaged one. */
    private LogEntryProto entryAt(int at) {
      try {
        CodedInputStream in = CodedInputStream.newInstance(bytes, at, bytes.length - at);
        int length = in.readRawVarint32();
        int start = at + in.getTotalBytesRead();
        if (length <= 0 || length > bytes.length - CHECKSUM_BYTES - start) {
          return null;
        }
        int end = start + length;
        checksum.reset();
        checksum.update(bytes, at, end - at);
        if ((int) checksum.getValue() != bigEndian(end)) {
          return null;
        }
        entryEnd = end + CHECKSUM_BYTES;
        return LogEntryProto.parseFrom(CodedInputStream.newInstance(bytes, start, length));
      } catch (InvalidProtocolBufferException e) {
        return null;
      } catch (IOException e) {
        throw new AssertionError("nothing is read but an array", e);
      }
    }

    private int bigEndian(int at) {
      return ((bytes[at] & 0xff) << 24)
          | ((bytes[at + 1] & 0xff) << 16)
          | ((bytes[at + 2] & 0xff) << 8)
          | (bytes[at + 3] & 0xff);
    }
  }
}
