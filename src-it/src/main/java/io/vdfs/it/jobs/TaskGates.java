package io.vdfs.it.jobs;

import io.vdfs.it.cluster.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.TaskAttemptID;

/**
 * Stops the first attempt of map task 0 in the middle of its work, so that a test can disturb it
 * there. All other tasks begin once it has got that far, and do not stop.
 *
 * <p>The job has {@link GatedTextInputFormat} parse its records and names a directory of the local
 * disk under {@link #DIRECTORY}. Thread-safe.
 */
public final class TaskGates {
  /** Job property: the directory of the gates. */
  public static final String DIRECTORY = "vdfs.it.gates";

  /** Records after which the first attempt of task 0 stops: more than a block of the small size. */
  static final long RECORDS = 6_000;

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Gate reached;
  private final Gate released;
  private final Gate second;

  /**
   * @param directory on a disk that all tasks see
   */
  public TaskGates(Path directory) {
    this.reached = new Gate(directory, "reached");
    this.released = new Gate(directory, "released");
    this.second = new Gate(directory, "second");
  }

  static TaskGates of(Configuration conf) throws IOException {
    String directory = conf.get(DIRECTORY);
    if (directory == null) {
      throw new IOException("the job names no directory of gates: key=" + DIRECTORY);
    }
    return new TaskGates(Path.of(directory));
  }

  /** Called by a task's attempt when it has processed {@code records}. */
  void onRecord(TaskAttemptID attempt, long records) throws IOException {
    boolean first = attempt.getId() == 0;
    if (attempt.getTaskID().getId() == 0) {
      if (first && records == RECORDS) {
        reached.open(ProcessHandle.current().pid() + " " + System.getenv("NM_HOST"));
        released.await();
      } else if (!first && records == 1) {
        second.open(attempt.toString());
      }
    } else if (records == 1) {
      reached.await();
    }
  }

  /** The stopped attempt. */
  public record Stopped(long pid, String host) {}

  /** Waits until the first attempt of task 0 has stopped in the middle of its work. */
  public Stopped awaitStopped() throws Exception {
    Await.until("the first attempt of task 0 to get half-way", LIMIT, reached::isOpen);
    String[] message = reached.message().split(" ", 2);
    return new Stopped(Long.parseLong(message[0]), message[1]);
  }

  /** Waits until another attempt of task 0 has begun its work. */
  public void awaitSecondAttempt() throws Exception {
    Await.until("a second attempt of task 0", LIMIT, second::isOpen);
  }

  public boolean hadSecondAttempt() {
    return second.isOpen();
  }

  /** Resumes the stopped attempt. */
  public void release() throws IOException {
    released.open("");
  }
}
