package io.vdfs.it.fault;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.Signals;
import io.vdfs.it.tools.StreamFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assertions;

/**
 * A {@link StreamFile} in a process of its own, as a container on one of the nodes would run it.
 */
final class StreamingClient implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final LoggedProcess process;
  private final Path stop;

  private StreamingClient(LoggedProcess process, Path stop) {
    this.process = process;
    this.stop = stop;
  }

  /**
   * @param name of its directory; not used before
   * @param node on which it runs
   */
  static StreamingClient start(
      DaemonProcesses cluster, String name, int node, String delivery, String file)
      throws IOException {
    ClientJvm jvm = cluster.newClientJvm(name, Map.of("fs.vdfs.delivery", delivery));
    Path stop = jvm.confDirectory().resolve("stop");
    LoggedProcess process =
        jvm.start(
            StreamFile.class.getName(),
            List.of(file, stop.toString()),
            Map.of("NM_HOST", cluster.host(node)));
    return new StreamingClient(process, stop);
  }

  /** A number of the last report; 0 before the first one. */
  long last(String counter) throws IOException {
    Matcher numbers = Pattern.compile("(?m)^.* " + counter + "=(\\d+)\\b.*$").matcher(output());
    long value = 0;
    while (numbers.find()) {
      value = Long.parseLong(numbers.group(1));
    }
    return value;
  }

  private String output() throws IOException {
    return process.output();
  }

  /** Waits until it has reported and a counter is above a value. */
  void awaitAbove(String counter, long value) throws Exception {
    Await.until(
        counter + " above " + value + " of " + process.pid(),
        LIMIT,
        () -> {
          Assertions.assertTrue(process.isAlive(), () -> "ended:\n" + tail());
          return last(counter) > value;
        });
  }

  /** The end of its output. */
  String tail() {
    try {
      return process.tail();
    } catch (IOException e) {
      return "no log: " + e;
    }
  }

  /** Sends SIGKILL to it, which must find it alive. */
  void kill() throws IOException, InterruptedException {
    Assertions.assertTrue(process.isAlive(), () -> "ended by itself:\n" + tail());
    process.kill();
    Assertions.assertFalse(output().contains("ended"), this::tail);
  }

  /** Suspends it, as SIGSTOP does, until {@link #thaw} is called. */
  void freeze() throws Exception {
    Signals.stop(process.pid());
  }

  void thaw() throws IOException, InterruptedException {
    Signals.resume(process.pid());
  }

  /** Lets it end and makes sure that it saw no wrong byte and no failed read. */
  void stop() throws IOException, InterruptedException {
    Files.createFile(stop);
    Assertions.assertEquals(0, process.awaitExit(LIMIT), this::tail);
    Assertions.assertTrue(output().contains("ended"), this::tail);
  }

  @Override
  public void close() throws IOException {
    process.close();
  }
}
