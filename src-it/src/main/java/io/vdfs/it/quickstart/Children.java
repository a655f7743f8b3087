package io.vdfs.it.quickstart;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Starts the processes of a run. Each writes its id to a file before it does anything, so that the
 * reaper finds it, and its output to a log. Confined to the main thread.
 */
final class Children {
  private static final String WITH_PID_FILE = "echo $$ >\"$0\" && exec \"$@\"";

  private final RunDirectory run;

  Children(RunDirectory run) {
    this.run = run;
  }

  /**
   * @param name unique within the run
   * @param environment added to that of this process
   */
  Process start(String name, List<String> command, Map<String, String> environment)
      throws IOException {
    List<String> guarded = new ArrayList<>();
    guarded.addAll(List.of("/bin/sh", "-c", WITH_PID_FILE, run.pids().resolve(name).toString()));
    guarded.addAll(command);
    ProcessBuilder builder =
        new ProcessBuilder(guarded)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(log(name).toFile());
    builder.environment().putAll(environment);
    return builder.start();
  }

  Path log(String name) {
    return run.logs().resolve(name + ".log");
  }

  /** The output of a child so far, line by line. */
  List<String> lines(String name) throws IOException {
    return new String(Files.readAllBytes(log(name)), StandardCharsets.UTF_8).lines().toList();
  }
}
