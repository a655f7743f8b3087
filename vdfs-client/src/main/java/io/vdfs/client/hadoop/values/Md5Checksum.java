package io.vdfs.client.hadoop.values;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.files.ContentCursor;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.names.FileInfo;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.MD5MD5CRC32CastagnoliFileChecksum;
import org.apache.hadoop.fs.MD5MD5CRC32GzipFileChecksum;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.MD5Hash;

/**
 * The checksum that HDFS gives by default: MD5 of the MD5s, one per block, of CRCs, one per chunk.
 * The CRCs depend on the chunk size; the nodes make them, or they are made from bytes that are
 * read. Confined to one call.
 */
public final class Md5Checksum {
  private static final int READ_BYTES = 256 << 10;
  private static final int PIECE_CHUNKS = 256 << 10;

  private final ContentCursor bytes;
  private final int chunkBytes;
  private final CRC32C crc = new CRC32C();
  private final ByteBuffer crcBytes = ByteBuffer.allocate(Integer.BYTES);
  private final byte[] buffer = new byte[READ_BYTES];
  private int chunkFilled;

  private Md5Checksum(ContentCursor bytes, int chunkBytes) {
    this.bytes = bytes;
    this.chunkBytes = chunkBytes;
  }

  /**
   * Has the nodes make the CRCs; no bytes of the file travel.
   *
   * @param file closed, as an opening returned it
   * @param length of the prefix to cover
   * @return empty where the bytes have to be read: chunks fit into neither the file's blocks nor
   *     the cluster's chunks
   */
  public static Optional<FileChecksum> byNodes(
      VdfsClient client, FileInfo file, long length, int chunkBytes) throws IOException {
    long blockSize = file.blockSize();
    if (blockSize % chunkBytes != 0) {
      return Optional.empty();
    }
    DataOutputBuffer blocks = new DataOutputBuffer();
    for (long start = 0; start < length; start += blockSize) {
      MessageDigest md5 = MD5Hash.getDigester();
      long end = Math.min(start + blockSize, length);
      long piece = (long) PIECE_CHUNKS * chunkBytes;
      for (long at = start; at < end; at += piece) {
        Optional<byte[]> crcs =
            client.files().partChecksums(file, at, Math.min(piece, end - at), chunkBytes);
        if (crcs.isEmpty()) {
          return Optional.empty();
        }
        md5.update(crcs.get());
      }
      new MD5Hash(md5.digest()).write(blocks);
    }
    return Optional.of(ofBlocks(blocks, length, blockSize, chunkBytes));
  }

  /**
   * Makes the CRCs from bytes that are read.
   *
   * @param length of the prefix to cover
   * @param blockSize as reported to applications
   * @throws EOFException if the file is shorter
   */
  public static FileChecksum byReading(
      ContentReader reader, long length, long blockSize, int chunkBytes) throws IOException {
    DataOutputBuffer blocks = new DataOutputBuffer();
    ContentCursor cursor = reader.cursor();
    try {
      Md5Checksum checksum = new Md5Checksum(cursor, chunkBytes);
      for (long start = 0; start < length; start += blockSize) {
        checksum.ofBlock(Math.min(blockSize, length - start)).write(blocks);
      }
    } finally {
      cursor.release();
    }
    return ofBlocks(blocks, length, blockSize, chunkBytes);
  }

  /**
   * @param blocks an MD5 for each; HDFS digests the whole array behind it, unused bytes included
   */
  private static FileChecksum ofBlocks(
      DataOutputBuffer blocks, long length, long blockSize, int chunkBytes) {
    if (length == 0) {
      return new MD5MD5CRC32GzipFileChecksum(0, 0, MD5Hash.digest(blocks.getData()));
    }
    long crcPerBlock = length <= blockSize ? 0 : (blockSize - 1) / chunkBytes + 1;
    return new MD5MD5CRC32CastagnoliFileChecksum(
        chunkBytes, crcPerBlock, MD5Hash.digest(blocks.getData()));
  }

  private MD5Hash ofBlock(long length) throws IOException {
    MessageDigest md5 = MD5Hash.getDigester();
    for (long done = 0; done < length; ) {
      int read = bytes.read(buffer, 0, (int) Math.min(buffer.length, length - done));
      if (read < 0) {
        throw new EOFException("file ends early: block=" + length + ", end=" + done);
      }
      add(read, md5);
      done += read;
    }
    endChunk(md5);
    return new MD5Hash(md5.digest());
  }

  private void add(int length, MessageDigest md5) {
    for (int at = 0; at < length; ) {
      int part = Math.min(length - at, chunkBytes - chunkFilled);
      crc.update(buffer, at, part);
      chunkFilled += part;
      at += part;
      if (chunkFilled == chunkBytes) {
        endChunk(md5);
      }
    }
  }

  private void endChunk(MessageDigest md5) {
    if (chunkFilled > 0) {
      md5.update(crcBytes.putInt(0, (int) crc.getValue()).array());
      crc.reset();
      chunkFilled = 0;
    }
  }
}
