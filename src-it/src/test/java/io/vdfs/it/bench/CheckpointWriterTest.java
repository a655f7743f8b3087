package io.vdfs.it.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.bench.CheckpointWriter.Settings;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointWriterTest {
  private static final int MIB = 1 << 20;

  @TempDir private Path directory;

  @Test
  void shouldKeepTheLastCheckpointWithAFileOfEachClient() throws Exception {
    CheckpointWriter writer = writer("clients=3", "mib=2", "checkpoints=3");

    String report = writer.write();

    assertTrue(
        report.contains("\"checkpoints\": 3, \"clients\": 3, \"bytes\": " + 18L * MIB), report);
    assertEquals(
        List.of("checkpoint2/client0", "checkpoint2/client1", "checkpoint2/client2"), files());
    assertEquals(6L * MIB, writer.check());
  }

  @Test
  void shouldSeeAByteThatIsNotAsWritten() throws Exception {
    CheckpointWriter writer = writer("clients=2", "mib=1", "call-kib=64");
    writer.write();
    try (RandomAccessFile file =
        new RandomAccessFile(directory.resolve("at/checkpoint0/client1").toFile(), "rw")) {
      file.seek(MIB - 1);
      int last = file.read();
      file.seek(MIB - 1);
      file.write(last + 1);
    }
    // the local filesystem would notice by itself
    Files.delete(directory.resolve("at/checkpoint0/.client1.crc"));

    IOException wrong = assertThrows(IOException.class, writer::check);

    assertTrue(wrong.getMessage().contains("client1, call=15"), wrong.getMessage());
  }

  @Test
  void shouldSeeThatFilesOfClientsWereExchanged() throws Exception {
    CheckpointWriter writer = writer("clients=2", "mib=1");
    writer.write();
    Path checkpoint = directory.resolve("at/checkpoint0");
    Files.copy(
        checkpoint.resolve("client0"),
        checkpoint.resolve("client1"),
        StandardCopyOption.REPLACE_EXISTING);
    Files.delete(checkpoint.resolve(".client1.crc"));

    assertThrows(IOException.class, writer::check);
  }

  @Test
  void shouldNotCountACheckpointThatOutlastedTheEnd() throws Exception {
    Path end = Files.createFile(directory.resolve("end"));
    CheckpointWriter writer = writer("clients=2", "mib=1", "until=" + end);

    String report = writer.write();

    assertTrue(report.startsWith("{\"checkpoints\": 0, "), report);
    assertTrue(report.endsWith("\"uncounted\": 1}"), report);
    assertEquals(2L * MIB, writer.check());
  }

  @Test
  void shouldWriteOneCheckpointOfTheSizeOfTheOriginalByDefault() {
    assertEquals(new Settings(4, 256, 256, 1, Integer.MAX_VALUE, ""), Settings.of(List.of()));
  }

  @Test
  void shouldWriteOnUntilTheTimeIsOver() {
    assertEquals(
        new Settings(4, 256, 256, Integer.MAX_VALUE, 60, ""), Settings.of(List.of("seconds=60")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "clients=0",
        "clients=two",
        "mib=0",
        "mib",
        "call-kib=0",
        "call-kib=100",
        "checkpoints=0",
        "seconds=0",
        "mb=5"
      })
  void shouldSayWhatItDoesNotUnderstand(String argument) {
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> Settings.of(List.of(argument)));

    assertTrue(refused.getMessage().contains(argument.split("=", -1)[0]), refused.getMessage());
  }

  private CheckpointWriter writer(String... settings) {
    return new CheckpointWriter(
        new org.apache.hadoop.fs.Path(directory.resolve("at").toUri()),
        Settings.of(Arrays.asList(settings)));
  }

  private List<String> files() throws IOException {
    Path at = directory.resolve("at");
    try (Stream<Path> all = Files.walk(at)) {
      return all.filter(Files::isRegularFile)
          .map(path -> at.relativize(path).toString())
          .filter(name -> !name.endsWith(".crc"))
          .sorted()
          .toList();
    }
  }
}
