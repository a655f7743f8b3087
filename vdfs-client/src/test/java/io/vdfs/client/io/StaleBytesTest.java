package io.vdfs.client.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bytes that a dead writer left on a node behind the length at which its file was closed, while
 * that node was away. The node is back and the first to be asked.
 */
@Timeout(60)
class StaleBytesTest {
  private static final int LEFT_BEHIND = 3000;

  private final byte[] stale = TestCluster.bytes(1, LEFT_BEHIND);
  private DiskCluster cluster;

  @BeforeEach
  void open(@TempDir Path directory) throws VdfsException {
    cluster = new DiskCluster(directory, 3, false);
  }

  @AfterEach
  void close() throws IOException {
    cluster.close();
  }

  /** The node is the first that readers ask. */
  private void leaveBehind(long start, int epoch) throws VdfsException {
    ByteBuffer data = ByteBuffer.wrap(stale);
    BlockWriter writer =
        cluster
            .nodes
            .get(0)
            .store
            .openWriter(
                DiskCluster.FILE,
                BlockRole.PRIMARY,
                epoch,
                start,
                DiskCluster.GEOMETRY.groupAt(start));
    writer.append(start, VerifiedChunks.compute(data, DiskCluster.GEOMETRY.chunkSize()));
    writer.close(true);
  }

  private byte[] readAll(FileReader reader) throws IOException {
    byte[] read = new byte[(int) reader.length()];
    reader.readFully(0, read, 0, read.length);
    return read;
  }

  @Test
  void shouldNotShowADeadWritersBytesInALaterAppend() throws Exception {
    leaveBehind(0, 1);
    cluster.metadata.takeOver();
    FileReader reader = cluster.reader(cluster.client(Delivery.SOCKET));

    assertEquals(0, reader.refreshLength());
  }

  @Test
  void shouldNotShowThemAtTheBoundaryOfAGroup() throws Exception {
    byte[] closed = cluster.write((int) DiskCluster.GEOMETRY.groupSize());
    leaveBehind(closed.length, 1);
    cluster.metadata.takeOver();
    FileReader reader = cluster.reader(cluster.client(Delivery.SOCKET));

    assertEquals(closed.length, reader.refreshLength());
    assertArrayEquals(closed, readAll(reader));
  }

  @Test
  void shouldCutThemWhenANewWriterOpens() throws Exception {
    leaveBehind(0, 1);
    FileView view = cluster.metadata.takeOver();
    ClientIo client = cluster.client(Delivery.SOCKET);
    // its first bytes are the same as those that lie there
    byte[] written = Arrays.copyOf(stale, 700);
    try (FileWriter writer = FileWriter.create(client, view, cluster.metadata)) {
      writer.write(written, 0, written.length);
      writer.flush();

      assertEquals(700, cluster.nodes.get(0).store.group(DiskCluster.FILE, 0).length());
      FileReader reader = cluster.reader(client);
      assertEquals(700, reader.refreshLength());
      assertArrayEquals(written, readAll(reader));
    }
  }

  @Test
  void shouldKeepTheClosedBytesOfThePartialChunkThatAnAppendGoesOnFrom() throws Exception {
    byte[] closed = cluster.write(700);
    FileView view = cluster.metadata.takeOver();
    ClientIo client = cluster.client(Delivery.SOCKET);
    byte[] more = TestCluster.bytes(5, 2000);
    try (FileWriter writer = FileWriter.append(client, view, cluster.metadata)) {
      FileReader reader = cluster.reader(client);
      assertArrayEquals(closed, readAll(reader));
      writer.write(more, 0, more.length);
      writer.flush();
      assertEquals(2700, reader.refreshLength());
    }
    byte[] all = Arrays.copyOf(closed, 2700);
    System.arraycopy(more, 0, all, 700, more.length);
    assertArrayEquals(all, readAll(cluster.reader(client)));
  }

  @Test
  void shouldReadElsewhereWhatANodeDoesNotHaveFromThePresentWriter() throws Exception {
    leaveBehind(0, 1);
    FileView view = cluster.metadata.takeOver();
    ClientIo client = cluster.client(Delivery.SOCKET);
    byte[] written = TestCluster.bytes(2, 2500);
    List<DiskNode> all = List.copyOf(cluster.nodes);
    cluster.nodes.remove(0);
    FileWriter writer = FileWriter.create(client, view, cluster.metadata);
    writer.write(written, 0, written.length);
    writer.flush();
    cluster.nodes.clear();
    cluster.nodes.addAll(all);
    // a reader whose view is from before the node was recorded as left out
    FileView between =
        new FileView(view.file(), 2500, true, view.writeEpoch(), 3, List.of(), view.lease());
    FileReader reader = new FileReader(client, between, cluster.metadata);

    assertArrayEquals(written, readAll(reader));
    writer.abort();
  }
}
