package io.vdfs.cli.trace;

import io.vdfs.client.trace.TraceHeader;
import io.vdfs.client.trace.TraceReader;
import io.vdfs.client.trace.TraceRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Reads trace files, one after the other. */
final class TraceScan {
  private static final String SUFFIX = ".trace";

  private final List<String> faults = new ArrayList<>();
  private long records;
  private long dropped;
  private int files;

  /** Receives the records of the files. */
  @FunctionalInterface
  interface Visitor {
    void onRecord(TraceHeader header, TraceRecord record);
  }

  /**
   * @param places files; a directory stands for those in it that are named as traces
   * @throws io.vdfs.common.error.VdfsException if one is no trace
   */
  void read(List<Path> places, Visitor visitor) throws IOException {
    for (Path place : places) {
      for (Path file : filesAt(place)) {
        readFile(file, visitor);
      }
    }
  }

  private static List<Path> filesAt(Path place) throws IOException {
    if (!Files.isDirectory(place)) {
      return List.of(place);
    }
    try (Stream<Path> entries = Files.list(place)) {
      return entries.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
    }
  }

  private void readFile(Path file, Visitor visitor) throws IOException {
    try (TraceReader reader = TraceReader.open(file)) {
      files++;
      Optional<TraceRecord> next = reader.next();
      while (next.isPresent()) {
        records++;
        visitor.onRecord(reader.header(), next.get());
        next = reader.next();
      }
      dropped += reader.dropped();
      reader.fault().ifPresent(fault -> faults.add(file + ": " + fault));
    }
  }

  int files() {
    return files;
  }

  long records() {
    return records;
  }

  /** Records that the traced processes dropped. */
  long dropped() {
    return dropped;
  }

  /** Files that end before they should, and where; records before that were read. */
  List<String> faults() {
    return List.copyOf(faults);
  }
}
