package io.vdfs.it.once;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnceVerdictTest {
  private static final String ATTEMPT = "attempt_1_0001_m_000000_0";
  private static final String SECOND_ATTEMPT = "attempt_1_0001_m_000000_1";
  private static final String OTHER_TASK = "attempt_1_0001_m_000001_0";

  @TempDir private Path output;

  @Test
  void shouldAcceptEachRecordOnce() throws IOException {
    part(0, "0\t" + ATTEMPT, "2\t" + ATTEMPT);
    part(1, "1\t" + OTHER_TASK);
    OnceVerdict verdict = verdict(3);
    assertTrue(verdict.isExact(), verdict.toString());
    assertEquals(3, verdict.records());
  }

  @Test
  void shouldCountMissingRecords() throws IOException {
    part(0, "1\t" + ATTEMPT);
    assertEquals(new OnceVerdict(1, 2, 0, 0, 0), verdict(3));
    assertFalse(verdict(3).isExact());
  }

  @Test
  void shouldCountDoubledRecords() throws IOException {
    part(0, "0\t" + ATTEMPT, "1\t" + ATTEMPT);
    part(1, "1\t" + OTHER_TASK);
    assertEquals(new OnceVerdict(2, 0, 1, 0, 0), verdict(2));
    assertFalse(verdict(2).isExact());
  }

  @Test
  void shouldCountRecordsFromNowhere() throws IOException {
    part(0, "0\t" + ATTEMPT, "7\t" + ATTEMPT);
    assertEquals(new OnceVerdict(1, 0, 0, 1, 0), verdict(1));
    assertFalse(verdict(1).isExact());
  }

  @Test
  void shouldCountTasksOfWhichTwoAttemptsLeftOutput() throws IOException {
    part(0, "0\t" + ATTEMPT);
    part(1, "1\t" + SECOND_ATTEMPT);
    assertEquals(new OnceVerdict(2, 0, 0, 0, 1), verdict(2));
    assertFalse(verdict(2).isExact());
  }

  @Test
  void shouldReadWhatAReducerCounted() throws IOException {
    part(0, "0\t1", "1\t2");
    assertEquals(new OnceVerdict(2, 1, 1, 0, 0), verdict(3));
  }

  @Test
  void shouldTellADamagedRecord() throws IOException {
    String record = NumberedRecord.of(42);
    assertEquals(42, NumberedRecord.parse(record));
    assertThrows(IOException.class, () -> NumberedRecord.parse(record + "x"));
    assertThrows(IOException.class, () -> NumberedRecord.parse("1" + record.substring(1)));
    assertThrows(IOException.class, () -> NumberedRecord.parse(record.substring(0, 15)));
    assertThrows(IOException.class, () -> NumberedRecord.parse(""));
  }

  private void part(int number, String... lines) throws IOException {
    Files.write(output.resolve("part-m-0000" + number), List.of(lines));
  }

  private OnceVerdict verdict(long expected) throws IOException {
    return OnceVerdict.of(
        FileSystem.getLocal(new Configuration(false)),
        new org.apache.hadoop.fs.Path(output.toUri()),
        expected);
  }
}
