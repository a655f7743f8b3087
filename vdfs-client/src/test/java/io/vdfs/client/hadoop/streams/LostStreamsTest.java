package io.vdfs.client.hadoop.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.hadoop.TestFileSystems;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.cluster.ClientKey;
import io.vdfs.client.hadoop.cluster.ClientSettings;
import io.vdfs.client.hadoop.cluster.ClusterTargets;
import io.vdfs.client.hadoop.cluster.SharedClients;
import io.vdfs.client.io.ClusterFile;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.datanode.Await;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Streams that are never closed must not hold memory for as long as the JVM lives. */
@Timeout(60)
class LostStreamsTest {
  private static final Path PATH = new Path("vdfs://test/f");

  private ClusterFile file;
  private SharedClients.Lease client;
  private long before;

  @BeforeEach
  void start() throws IOException {
    file = new ClusterFile();
    TestFileSystems systems = new TestFileSystems();
    VdfsFileSystem fs = systems.initialized();
    fs.close();
    Configuration configuration = TestFileSystems.configuration();
    client =
        systems
            .clients()
            .acquire(
                new ClientKey(
                    ClusterTargets.resolve(TestFileSystems.NAMED, configuration),
                    UserGroupInformation.createRemoteUser("alice"),
                    ClientSettings.read(configuration)),
                () -> new FakeClient(systems.cluster(), "elsewhere").client());
    before = file.bufferBytes();
  }

  @AfterEach
  void stop() throws IOException {
    client.close();
    file.close();
  }

  private void awaitCollected() {
    Await.awaitThat(
        () -> {
          System.gc();
          return file.bufferBytes() <= before;
        });
  }

  @Test
  void shouldGiveBackWhatALostReaderHas() throws IOException {
    try (ContentWriter writer = file.create()) {
      writer.write(new byte[20_000], 0, 20_000);
    }
    assertEquals(before, file.bufferBytes());
    readAndLose();
    assertTrue(file.bufferBytes() > before);

    awaitCollected();
  }

  private void readAndLose() throws IOException {
    VdfsInputStream lost =
        new VdfsInputStream(
            PATH, file.reader(), ReadPattern.ADAPTIVE, client, new FileSystem.Statistics("vdfs"));
    assertEquals(0, lost.read());
  }

  @Test
  void shouldGiveBackWhatALostWriterHas() throws IOException {
    writeAndLose();
    assertTrue(file.bufferBytes() > before);

    awaitCollected();
    assertTrue(file.isOpenForWriting());
  }

  private void writeAndLose() throws IOException {
    VdfsOutputStream lost = new VdfsOutputStream(PATH, file.create(), client, stream -> {});
    lost.write(new byte[10_000]);
    lost.hflush();
  }

  /** Many readers read to the end and forget their stream. */
  @Test
  void shouldHaveNothingAtTheEndOfTheFile() throws IOException {
    try (ContentWriter writer = file.create()) {
      writer.write(new byte[20_000], 0, 20_000);
    }
    VdfsInputStream in =
        new VdfsInputStream(
            PATH, file.reader(), ReadPattern.ADAPTIVE, client, new FileSystem.Statistics("vdfs"));

    assertEquals(20_000, in.readAllBytes().length);

    assertEquals(before, file.bufferBytes());
    in.seek(19_999);
    assertEquals(0, in.read());
    assertEquals(-1, in.read());
  }
}
