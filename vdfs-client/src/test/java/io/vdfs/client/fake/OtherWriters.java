package io.vdfs.client.fake;

import io.vdfs.client.files.ContentAccess;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.meta.ClientLeases;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;

/** A content whose writers are made by the test. */
public record OtherWriters(ContentAccess content, Writers writers) implements ContentAccess {
  /** Makes writers. */
  @FunctionalInterface
  public interface Writers {
    ContentWriter writer(
        ContentAccess content, FileInfo file, WriteTicketProto ticket, ClientLeases lease)
        throws IOException;
  }

  @Override
  public ContentWriter writer(FileInfo file, WriteTicketProto ticket, ClientLeases lease)
      throws IOException {
    return writers.writer(content, file, ticket, lease);
  }

  @Override
  public ContentReader reader(FileInfo file) throws IOException {
    return content.reader(file);
  }

  @Override
  public int checksum(FileInfo file) throws IOException {
    return content.checksum(file);
  }

  @Override
  public Optional<byte[]> partChecksums(FileInfo file, long start, long length, int partBytes)
      throws IOException {
    return content.partChecksums(file, start, length, partBytes);
  }

  @Override
  public Map<String, Long> counters() {
    return content.counters();
  }

  @Override
  public void close() {
    content.close();
  }
}
