package io.vdfs.it.once;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.client.ledger.TaskDraws;
import io.vdfs.common.model.StreamId;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ContainerProcess;
import io.vdfs.mapreduce.StreamCounter;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.TaskCompletionEvent;
import org.apache.hadoop.mapreduce.TaskCompletionEvent.Status;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.yarn.api.records.ApplicationId;

/** A submitted {@link OnceJob}. Confined to the test's thread. */
final class RunningOnce {
  static final Duration LIMIT = Duration.ofMinutes(3);

  private static final int MOST_EVENTS = 1_000;

  private final OnceCluster cluster;
  private final Job job;
  private final Path output;

  RunningOnce(OnceCluster cluster, Job job, Path output) {
    this.cluster = cluster;
    this.job = job;
    this.output = output;
  }

  OnceCluster cluster() {
    return cluster;
  }

  Job job() {
    return job;
  }

  Path output() {
    return output;
  }

  ApplicationId application() {
    return TypeConverter.toYarn(job.getJobID()).getAppId();
  }

  /** The ledger's present status. */
  StreamStatus stream() throws IOException {
    StreamId id = StreamId.parse(job.getConfiguration().get(InputKeys.STREAM_ID));
    return cluster.fileSystem().vdfsClient().ledger().status(id);
  }

  /** Waits until tasks have drawn a good part of the input, but far from all of it. */
  void awaitMiddle() throws Exception {
    Await.until(
        "the middle of the job",
        LIMIT,
        () -> {
          StreamStatus stream = stream();
          return stream.remainingBlocks() * 4 < stream.totals().blocks() * 3;
        });
    assertBusy();
  }

  /** Fails if all blocks have their task: a fault now comes too late. */
  void assertBusy() throws IOException {
    assertTrue(stream().remainingBlocks() > 0, "the fault comes too late: " + output);
  }

  List<ContainerProcess> runningMaps() {
    return ContainerProcess.maps(job.getJobID());
  }

  /** A running map attempt. */
  ContainerProcess awaitMap() throws Exception {
    return Await.value("a map attempt", LIMIT, () -> runningMaps().stream().findFirst());
  }

  /** Of the running map attempts that have drawn, the one whose task has drawn the least. */
  Optional<ContainerProcess> lastToDraw() throws IOException {
    StreamStatus stream = stream();
    return runningMaps().stream()
        .filter(map -> blocks(stream, map) > 0)
        .min(Comparator.comparingLong(map -> blocks(stream, map)));
  }

  private static long blocks(StreamStatus stream, ContainerProcess map) {
    return task(stream, map.attempt().getTaskID()).totals().blocks();
  }

  /** How many runs a task owns. */
  int runs(TaskID task) throws IOException {
    return task(stream(), task).runs();
  }

  /** Without static splits, Hadoop numbers the tasks as the ledger does. */
  private static TaskDraws task(StreamStatus stream, TaskID task) {
    return stream.tasks().get(task.getId());
  }

  ContainerProcess awaitMaster() throws Exception {
    return Await.value(
        "the ApplicationMaster", LIMIT, () -> ContainerProcess.master(job.getJobID()));
  }

  List<TaskCompletionEvent> mapEvents() throws IOException, InterruptedException {
    return Arrays.stream(job.getTaskCompletionEvents(0, MOST_EVENTS))
        .filter(TaskCompletionEvent::isMapTask)
        .toList();
  }

  List<TaskCompletionEvent> finishedMaps() throws IOException, InterruptedException {
    return mapEvents().stream().filter(event -> event.getStatus() == Status.SUCCEEDED).toList();
  }

  int maps() {
    return job.getConfiguration().getInt("mapreduce.job.maps", 0);
  }

  static String host(TaskCompletionEvent event) {
    return URI.create(event.getTaskTrackerHttp()).getHost();
  }

  static int task(TaskCompletionEvent event) {
    return event.getTaskAttemptId().getTaskID().getId();
  }

  /** Waits for the job and fails unless it ended well and everything came through the ledger. */
  void awaitSuccess() throws Exception {
    Await.until("the job " + output, LIMIT, () -> job.isComplete());
    assertTrue(job.isSuccessful(), () -> output + " failed: " + failure());
    StreamStatus stream = stream();
    assertEquals(0, stream.remainingBlocks());
    assertEquals(cluster.input().bytes(), stream.totals().bytes());
    assertTrue(stream.tasks().stream().allMatch(TaskDraws::finished), stream.toString());
    assertEquals(
        cluster.input().bytes(),
        job.getCounters().findCounter(StreamCounter.BYTES).getValue(),
        "the attempts that count drew the input once");
  }

  private String failure() {
    try {
      return Optional.ofNullable(job.getStatus().getFailureInfo()).orElse("no reason given");
    } catch (IOException | InterruptedException e) {
      return e.toString();
    }
  }
}
