package io.vdfs.it.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Starts client programs in fresh JVMs, with a configuration directory of their own as a user has
 * it. Confined to the thread that made it.
 */
public final class ClientJvm {
  private final Path confDirectory;
  private int started;

  private ClientJvm(Path confDirectory) {
    this.confDirectory = confDirectory;
  }

  /**
   * @param directory for {@code core-site.xml} and for the logs of the programs
   * @param properties of {@code core-site.xml}
   */
  public static ClientJvm create(Path directory, Map<String, String> properties)
      throws IOException {
    SiteXml.write(directory.resolve("core-site.xml"), properties);
    return new ClientJvm(directory);
  }

  /** Directory of the configuration. */
  public Path confDirectory() {
    return confDirectory;
  }

  /** Starts the main class; the caller closes it. */
  public LoggedProcess start(String mainClass, List<String> arguments) throws IOException {
    return start(mainClass, arguments, Map.of());
  }

  /** Starts the main class with more environment variables; the caller closes it. */
  public LoggedProcess start(
      String mainClass, List<String> arguments, Map<String, String> environment)
      throws IOException {
    started++;
    String name = mainClass.substring(mainClass.lastIndexOf('.') + 1) + started;
    return LoggedProcess.start(
        name,
        confDirectory,
        JavaCommand.of(confDirectory, "128m", mainClass, arguments),
        environment);
  }

  /** Starts {@code hadoop fs}; the caller closes it. */
  public LoggedProcess shell(String... arguments) throws IOException {
    return start("org.apache.hadoop.fs.FsShell", List.of(arguments));
  }
}
