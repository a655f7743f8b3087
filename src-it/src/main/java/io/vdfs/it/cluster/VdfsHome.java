package io.vdfs.it.cluster;

import java.nio.file.Files;
import java.nio.file.Path;

/** The source tree that this program was built from. Stateless. */
public final class VdfsHome {
  /** System property that names it; else the working directory or its parent is taken. */
  public static final String PROPERTY = "vdfs.home";

  private static final Path DAEMON = Path.of("bin", "vdfs-daemon");

  private VdfsHome() {}

  /**
   * @throws IllegalStateException if it is not found
   */
  public static Path path() {
    Path start = Path.of(System.getProperty(PROPERTY, "")).toAbsolutePath();
    for (Path home = start; home != null; home = home.getParent()) {
      if (Files.exists(home.resolve(DAEMON))) {
        return home;
      }
    }
    throw new IllegalStateException(
        "no " + DAEMON + " at or above " + start + "; set -D" + PROPERTY + "=DIR");
  }

  /** The script that runs a DataNode. */
  public static Path daemonScript() {
    return path().resolve(DAEMON);
  }
}
