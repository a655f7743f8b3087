package io.vdfs.client.write;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import java.nio.ByteBuffer;

/**
 * CRC32C of the bytes of a group that is being written, from the checksums of the packets' chunks;
 * bytes are looked at only where a packet goes on in the middle of a chunk. Confined to its writer.
 */
final class GroupChecksum {
  private final int chunkSize;
  private boolean known;
  private int checksum;
  private long end;

  /**
   * @param start end in the file of the bytes that the group has already
   * @param known whether the checksum of these is known
   * @param checksum theirs; 0 where there are none
   */
  GroupChecksum(int chunkSize, long start, boolean known, int checksum) {
    this.chunkSize = chunkSize;
    this.end = start;
    this.known = known;
    this.checksum = checksum;
  }

  /** The packet after those before; it may begin with bytes of the last one's partial chunk. */
  void add(Packet packet) {
    if (packet.end() <= end) {
      return;
    }
    if (packet.offset() > end) {
      // nothing of what lies between is known
      known = false;
    }
    if (known) {
      ChunkChecksums chunks = packet.checksums();
      for (int chunk = 0; chunk < chunks.count(); chunk++) {
        add(packet, chunk);
      }
    }
    end = packet.end();
  }

  private void add(Packet packet, int chunk) {
    long from = packet.offset() + (long) chunk * chunkSize;
    long to = Math.min(from + chunkSize, packet.end());
    if (to <= end) {
      return;
    }
    int added = from == end ? packet.checksums().get(chunk) : Crc32c.of(slice(packet, end, to));
    checksum = Crc32c.combine(checksum, added, to - end);
    end = to;
  }

  private static ByteBuffer slice(Packet packet, long from, long to) {
    int at = packet.data().readerIndex() + Math.toIntExact(from - packet.offset());
    return packet.data().nioBuffer(at, Math.toIntExact(to - from));
  }

  /** Of all bytes of the group so far; 0: not known. */
  int value() {
    return known ? checksum : 0;
  }
}
