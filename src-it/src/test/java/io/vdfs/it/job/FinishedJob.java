package io.vdfs.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.NodeDraws;
import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.client.ledger.TaskDraws;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;

/** A job that is over, and what the ledger knows of its input. Immutable. */
record FinishedJob(Job job, StreamStatus stream) {
  private static final int MOST_EVENTS = 1_000;

  static FinishedJob of(Job job, VdfsFileSystem fileSystem) throws IOException {
    // the configuration that the job itself returns is the asking client's
    Configuration conf = new Configuration(false);
    try (InputStream file = fileSystem.open(new Path(job.getJobFile()))) {
      conf.addResource(file);
      conf.size();
    }
    assertNotNull(conf.get(InputKeys.STREAM_JOB), "no logical splits");
    assertEquals(
        conf.get(MRJobConfig.MAPREDUCE_JOB_DIR),
        conf.get(InputKeys.STREAM_JOB),
        "its committer would not audit");
    return new FinishedJob(job, stream(conf, fileSystem));
  }

  /** The ledger's status of a submitted job's stream. */
  static StreamStatus stream(Configuration submitted, VdfsFileSystem fileSystem)
      throws IOException {
    String stream = submitted.get(InputKeys.STREAM_ID);
    assertNotNull(stream, "no logical splits");
    return fileSystem.vdfsClient().ledger().status(StreamId.parse(stream));
  }

  /** Every byte of splittable input came through the ledger, to successful attempts, once. */
  void assertDrew(long bytes, long blocks) throws IOException {
    assertEquals(bytes, counter(StreamCounter.BYTES));
    assertEquals(blocks, counter(StreamCounter.BLOCKS));
    assertEquals(bytes, stream.totals().bytes());
    assertEquals(blocks, stream.totals().blocks());
    assertEquals(0, stream.remainingBlocks());
    assertTrue(stream.tasks().stream().allMatch(TaskDraws::finished), stream.toString());
    assertEquals(bytes, stream.tasks().stream().mapToLong(task -> task.totals().bytes()).sum());
    assertTrue(
        stream.nodes().stream().mapToLong(NodeDraws::localBlocks).sum() > 0,
        () -> "no task drew from its own node: " + stream);
  }

  /** Tasks elsewhere took all blocks of that node, as no task ran there. */
  void assertTakenByOthers(NodeId node) {
    NodeDraws status =
        stream.nodes().stream()
            .filter(candidate -> candidate.node().equals(node))
            .findFirst()
            .orElseThrow();
    assertEquals(0, status.localBlocks(), status.toString());
    assertEquals(0, status.stolenBlocks(), status.toString());
    assertEquals(0, status.remainingBlocks(), status.toString());
    assertTrue(status.lostBlocks() > 0, status.toString());
  }

  long counter(StreamCounter counter) throws IOException {
    return job.getCounters().findCounter(counter).getValue();
  }

  /** The outcomes of the attempts of map task {@code task}. */
  List<TaskCompletionEvent> mapAttempts(int task) throws IOException, InterruptedException {
    return Arrays.stream(job.getTaskCompletionEvents(0, MOST_EVENTS))
        .filter(TaskCompletionEvent::isMapTask)
        .filter(event -> event.getTaskAttemptId().getTaskID().getId() == task)
        .toList();
  }
}
