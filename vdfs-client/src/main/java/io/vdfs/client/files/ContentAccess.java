package io.vdfs.client.files;

import io.vdfs.client.meta.ClientLeases;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** Opens the bytes of files on the data plane. Thread-safe. */
public interface ContentAccess extends AutoCloseable {
  /**
   * Opens a file for reading. For a file that is being written it asks how far it can be read.
   *
   * @param file as the metadata service described it at the opening
   */
  ContentReader reader(FileInfo file) throws IOException;

  /**
   * @param file open for writing under {@code lease}; bytes go to its end
   * @param ticket that came with the opening
   */
  ContentWriter writer(FileInfo file, WriteTicketProto ticket, ClientLeases lease)
      throws IOException;

  /** CRC32C of all bytes of a closed file, from the checksums its replicas hold. */
  int checksum(FileInfo file) throws IOException;

  /**
   * CRC32C of each part of a range of a closed file, made by the nodes that hold it: big-endian,
   * one after the other. Parts are counted from the start of the file.
   *
   * @param start on the border of a part
   * @return empty where nodes cannot tell, as parts of that size do not fit into the cluster's
   *     chunks
   */
  Optional<byte[]> partChecksums(FileInfo file, long start, long length, int partBytes)
      throws IOException;

  /** Counters of reading and writing so far, by name. */
  Map<String, Long> counters();

  /** Breaks all connections; readers and writers that are open fail from now on. */
  @Override
  void close();
}
