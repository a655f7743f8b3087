package io.vdfs.it.input;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.AuditedInput;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The splits of a job, whose attempts a test runs in any order. Confined to the test's thread.
 *
 * @param <S> the API's splits
 */
abstract class PlannedInput<S> {
  private final List<S> splits;

  PlannedInput(List<S> splits) {
    this.splits = List.copyOf(splits);
  }

  final int tasks() {
    return splits.size();
  }

  final List<S> splits() {
    return splits;
  }

  /** Splits that draw from the ledger. */
  abstract int logicalTasks();

  /** Begins another attempt of a task. */
  abstract TaskInput attempt(int task) throws IOException, InterruptedException;

  /** Of all attempts. */
  abstract long counter(StreamCounter counter);

  /** Of all attempts: bytes that readers got, from any distance. */
  final long bytesFromNodes() {
    return counter(StreamCounter.LOCAL_BYTES)
        + counter(StreamCounter.RACK_BYTES)
        + counter(StreamCounter.REMOTE_BYTES);
  }

  /** The job's configuration, after the splits were made. */
  abstract Configuration configuration();

  /** Runs one attempt of each task at the same time: all read a record in turn. */
  final List<String> readAll() throws IOException, InterruptedException {
    List<TaskInput> running = new ArrayList<>();
    for (int task = 0; task < tasks(); task++) {
      running.add(attempt(task));
    }
    List<String> records = new ArrayList<>();
    while (!running.isEmpty()) {
      List<TaskInput> still = new ArrayList<>();
      for (TaskInput input : running) {
        Optional<String> record = input.next();
        if (record.isPresent()) {
          records.add(record.get());
          still.add(input);
        } else {
          input.close();
        }
      }
      running = still;
    }
    Collections.sort(records);
    return records;
  }

  /** The ledger's audit of the job; fails unless its tasks processed each block once. */
  final AuditedInput audit() throws IOException {
    return ledger().audit(streamId());
  }

  /** The ledger's present status. */
  final StreamStatus status() throws IOException {
    return ledger().status(streamId());
  }

  private StreamId streamId() {
    return StreamId.parse(configuration().get(InputKeys.STREAM_ID));
  }

  private LedgerClient ledger() throws IOException {
    FileSystem fileSystem = new Path("/").getFileSystem(configuration());
    return ((VdfsFileSystem) fileSystem).vdfsClient().ledger();
  }
}
