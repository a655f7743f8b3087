package io.vdfs.it.quickstart;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Scripts and jars of the source tree that this program was built from. Stateless. */
final class VdfsInstallation {
  private static final Path HOME = Path.of(System.getProperty("vdfs.home"));

  private VdfsInstallation() {}

  /**
   * @param path within the source tree
   */
  static String script(String path) {
    return HOME.resolve(path).toString();
  }

  static Path file(String path) {
    return HOME.resolve(path);
  }

  /**
   * The class path of stock Hadoop with the one jar of VDFS dropped on it.
   *
   * @return jars of the local Maven repository except test jars, and the shaded jar
   */
  static List<Path> hadoopClassPath() throws IOException {
    List<Path> jars = new ArrayList<>();
    jars.add(shadedJar());
    for (String entry : System.getProperty("java.class.path").split(":", -1)) {
      String name = Path.of(entry).getFileName().toString();
      if (!Path.of(entry).startsWith(HOME) && !name.endsWith("-tests.jar")) {
        jars.add(Path.of(entry));
      }
    }
    return jars;
  }

  /** The local Maven repository, as the place of a jar on the class path shows it. */
  static Path mavenRepository() throws QuickstartException {
    Path inside = Path.of("org", "apache", "hadoop", "hadoop-common");
    for (String entry : System.getProperty("java.class.path").split(":", -1)) {
      Path artifact = Path.of(entry).toAbsolutePath().resolve("../..").normalize();
      if (artifact.endsWith(inside)) {
        return artifact.resolve("../../../..").normalize();
      }
    }
    throw new QuickstartException(
        "no jar of hadoop-common on the class path; build again with: mvn -DskipTests package");
  }

  private static Path shadedJar() throws IOException {
    Path directory = HOME.resolve("vdfs-mapreduce").resolve("target");
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, "vdfs-hadoop-*.jar")) {
      for (Path jar : jars) {
        return jar;
      }
    }
    throw new IOException("no vdfs-hadoop-*.jar in " + directory);
  }
}
