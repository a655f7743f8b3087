package io.vdfs.it.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TypeConverter;
import org.apache.hadoop.yarn.api.records.ContainerId;

/**
 * The JVM in a container that a NodeManager of this process started. Immutable.
 *
 * @param arguments of the JVM
 */
public record ContainerProcess(ProcessHandle process, List<String> arguments) {
  /** A system property that every container's JVM is given; its last name is the container's id. */
  private static final String LOG_DIRECTORY = "-Dyarn.app.container.log.dir=";

  /** In the environment of every container: where its NodeManager is. */
  private static final String HOST = "NM_HOST=";

  public ContainerProcess {
    arguments = List.copyOf(arguments);
  }

  /** The running map attempts of a job. */
  public static List<ContainerProcess> maps(JobID job) {
    String prefix = job.toString().replace("job_", "attempt_") + "_m_";
    return all().stream().filter(container -> container.argumentWith(prefix).isPresent()).toList();
  }

  /** The ApplicationMaster of a job, if it runs. */
  public static Optional<ContainerProcess> master(JobID job) {
    String application = TypeConverter.toYarn(job).getAppId().toString();
    String container = application.replace("application_", "container_") + "_";
    return all().stream()
        .filter(candidate -> candidate.argumentWith("MRAppMaster").isPresent())
        .filter(candidate -> candidate.argumentWith(container).isPresent())
        .findFirst();
  }

  /** The JVMs now running in the containers of one NodeManager. */
  public static List<ContainerProcess> on(String host) {
    return all().stream().filter(container -> container.isOn(host)).toList();
  }

  private static List<ContainerProcess> all() {
    List<ContainerProcess> found = new ArrayList<>();
    ProcessHandle.current()
        .descendants()
        .forEach(
            process -> {
              List<String> arguments = arguments(process.pid());
              if (!arguments.isEmpty() && arguments.get(0).endsWith("/java")) {
                found.add(new ContainerProcess(process, arguments));
              }
            });
    return found;
  }

  private static List<String> arguments(long pid) {
    return strings(pid, "cmdline");
  }

  private boolean isOn(String host) {
    return strings(process.pid(), "environ").contains(HOST + host);
  }

  /** The entries of a file in {@code /proc}; empty for a process that is gone. */
  private static List<String> strings(long pid, String file) {
    try {
      byte[] all = Files.readAllBytes(Path.of("/proc/" + pid + "/" + file));
      return List.of(new String(all, StandardCharsets.UTF_8).split("\0"));
    } catch (IOException e) {
      return List.of();
    }
  }

  private Optional<String> argumentWith(String part) {
    return arguments.stream().filter(argument -> argument.contains(part)).findFirst();
  }

  /** Of a map or reduce task. */
  public TaskAttemptID attempt() {
    return TaskAttemptID.forName(
        arguments.stream()
            .filter(argument -> argument.startsWith("attempt_"))
            .findFirst()
            .orElseThrow());
  }

  /** The container it is in. */
  public ContainerId id() {
    String directory = argumentWith(LOG_DIRECTORY).orElseThrow();
    return ContainerId.fromString(directory.substring(directory.lastIndexOf('/') + 1));
  }

  /** Sends SIGKILL to the JVM alone: its container sees it end. */
  public void kill() {
    require(process.destroyForcibly());
  }

  /** Asks the JVM to end, with SIGTERM. */
  public void terminate() {
    require(process.destroy());
  }

  /** Suspends the JVM, as SIGSTOP does, until {@link #thaw} is called. */
  public void freeze() throws Exception {
    Signals.stop(process.pid());
  }

  /** Resumes a frozen JVM. */
  public void thaw() throws IOException, InterruptedException {
    Signals.resume(process.pid());
  }

  /** Sends SIGKILL to everything in the container. */
  public void killContainer() {
    ProcessHandle top = process;
    for (Optional<ProcessHandle> parent = top.parent();
        parent.isPresent() && parent.get().pid() != ProcessHandle.current().pid();
        parent = top.parent()) {
      top = parent.get();
    }
    List<ProcessHandle> below = top.descendants().toList();
    top.destroyForcibly();
    below.forEach(ProcessHandle::destroyForcibly);
  }

  private void require(boolean sent) {
    if (!sent) {
      throw new IllegalStateException("the signal was not sent: pid=" + process.pid());
    }
  }
}
