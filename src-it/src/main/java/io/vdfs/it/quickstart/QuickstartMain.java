package io.vdfs.it.quickstart;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.logging.LogManager;
import org.slf4j.LoggerFactory;

/**
 * Runs the quickstart and ends it: exit code 0, or 1 with the cause on standard error and logs
 * kept, or 130 where it was interrupted.
 */
public final class QuickstartMain {
  private QuickstartMain() {}

  /**
   * Started by {@code quickstart.sh}, which has checked them.
   *
   * @param args MiB of text to make if no files are named, then the files
   */
  public static void main(String[] args) throws Exception {
    Screen screen = Screen.ofProcess();
    long bytes = Long.parseLong(args[0]) << 20;
    List<Path> files = Arrays.stream(args).skip(1).map(Path::of).toList();
    RunDirectory run = RunDirectory.create();
    useFor(run);
    Ending ending = Ending.prepare(run, screen);
    try {
      new Quickstart(run, screen, files, bytes).run();
      ending.end();
    } catch (QuickstartException e) {
      log(e);
      ending.fail(e.getMessage());
    } catch (Exception | LinkageError e) {
      log(e);
      ending.fail(e.toString().lines().findFirst().orElse("").strip());
    }
  }

  /**
   * To be called before any logger or server is made: their output goes into the run's directory.
   */
  private static void useFor(RunDirectory run) {
    System.setProperty("vdfs.quickstart.log", run.logs().resolve("quickstart.log").toString());
    System.setProperty("java.io.tmpdir", run.temporary().toString());
    // Hadoop's web servers talk there, to standard error
    LogManager.getLogManager().reset();
  }

  private static void log(Throwable e) {
    LoggerFactory.getLogger(QuickstartMain.class).error("failed", e);
  }
}
