package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.client.hadoop.values.ChecksumSettings;
import io.vdfs.client.hadoop.values.Md5Checksum;
import io.vdfs.client.names.FileInfo;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.DataChecksum;

/** Checksums of files as HDFS makes them. Thread-safe. */
final class Checksums {
  private final Calls calls;
  private final PathContents contents;
  private final ChecksumSettings settings;

  Checksums(Calls calls, PathContents contents, ChecksumSettings settings) {
    this.calls = calls;
    this.contents = contents;
    this.settings = settings;
  }

  FileChecksum ofFile(Path path) throws IOException {
    return of(path, contents.fileInfo(path), Long.MAX_VALUE);
  }

  /**
   * @param length of the prefix to cover; of a shorter file all of it
   * @throws IllegalArgumentException if it is negative
   */
  FileChecksum ofPrefix(Path path, long length) throws IOException {
    if (length < 0) {
      throw new IllegalArgumentException(
          "a length is 0 or above: path=" + path + ", length=" + length);
    }
    return of(path, contents.fileInfo(path), length);
  }

  private FileChecksum of(Path path, FileInfo info, long length) throws IOException {
    long covered = Math.min(length, info.length());
    if (settings.composite()) {
      int crc =
          calls.read(path, Intent.OPEN, (client, name) -> client.files().checksum(info, covered));
      return new CompositeCrcFileChecksum(crc, DataChecksum.Type.CRC32C, settings.chunkBytes());
    }
    return calls.read(
        path, Intent.OPEN, (client, name) -> md5(client, name, covered, info.blockSize()));
  }

  private FileChecksum md5(VdfsClient client, String name, long covered, long blockSize)
      throws IOException {
    int chunkBytes = settings.chunkBytes();
    if (!contents.isPinned(name)) {
      FileInfo opened = client.files().open(name).info();
      Optional<FileChecksum> byNodes =
          opened.isUnderConstruction() || opened.length() < covered
              ? Optional.empty()
              : Md5Checksum.byNodes(client, opened, covered, chunkBytes);
      if (byNodes.isPresent()) {
        return byNodes.get();
      }
    }
    return Md5Checksum.byReading(contents.reader(client, name), covered, blockSize, chunkBytes);
  }
}
