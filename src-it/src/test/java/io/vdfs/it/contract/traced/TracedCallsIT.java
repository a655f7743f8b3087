package io.vdfs.it.contract.traced;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.trace.TraceReader;
import io.vdfs.client.trace.TraceRecord;
import io.vdfs.it.contract.SharedCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The trace of a file that is written and read: calls, and fetches below them. */
@Timeout(60)
class TracedCallsIT {
  private static final int LENGTH = 5 << 20;
  private static final Path FILE = new Path("/traced-calls");

  @TempDir private java.nio.file.Path sink;

  @Test
  void shouldRecordCallsAndFetches() throws IOException {
    Configuration conf = SharedCluster.get().configuration();
    TracedContract.trace(conf);
    conf.set("fs.trace.sink", sink.toUri().toString());
    try (FileSystem fs = FileSystem.newInstance(TracedContract.uri(), conf)) {
      try (FSDataOutputStream out = fs.create(FILE)) {
        out.write(new byte[LENGTH]);
        out.hsync();
      }
      try (FSDataInputStream in = fs.open(FILE)) {
        assertEquals(LENGTH, in.readAllBytes().length);
      }
      fs.delete(FILE, false);
    }
    List<TraceRecord> records = read();
    assertEquals(LENGTH, bytes(records, "write"));
    assertEquals(LENGTH, bytes(records, "read"));
    long fetched = bytes(records, "fetch");
    assertTrue(fetched >= LENGTH, "fetched=" + fetched);
    List<TraceRecord> fetches = records.stream().filter(TraceRecord::isFetch).toList();
    assertTrue(fetches.size() > 1 && fetches.size() < 50, fetches::toString);
    assertTrue(
        fetches.stream().allMatch(record -> record.path().endsWith(FILE.toString())),
        fetches::toString);
    assertTrue(records.stream().anyMatch(record -> record.op().equals("hsync")));
    assertEquals(
        List.of(),
        records.stream().map(TraceRecord::error).filter(error -> !error.isEmpty()).toList());
  }

  private static long bytes(List<TraceRecord> records, String op) {
    return records.stream()
        .filter(record -> record.op().equals(op))
        .mapToLong(TraceRecord::bytes)
        .sum();
  }

  private List<TraceRecord> read() throws IOException {
    List<TraceRecord> records = new ArrayList<>();
    try (Stream<java.nio.file.Path> files = Files.list(sink)) {
      for (java.nio.file.Path file : files.toList()) {
        try (TraceReader reader = TraceReader.open(file)) {
          for (Optional<TraceRecord> next = reader.next(); next.isPresent(); next = reader.next()) {
            records.add(next.get());
          }
          assertEquals(Optional.empty(), reader.fault());
          assertEquals(0, reader.dropped());
        }
      }
    }
    return records;
  }
}
