package io.vdfs.it.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;

/**
 * Hadoop's shell on one of two filesystems. Takes the streams of the whole JVM while a command
 * runs, so only one thread may use it.
 */
final class ShellSide {
  private static final Pattern DATE =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?");
  private static final Pattern CHECKPOINT = Pattern.compile("\\.Trash/\\d{12}(-\\d+)?");

  private final Configuration configuration;
  private final String root;

  /**
   * How a command ended.
   *
   * @param output with the filesystem's name, dates and names of trash checkpoints replaced
   */
  record Ended(int code, String output, String complaints) {}

  /**
   * @param configuration with the filesystem as the default one
   */
  ShellSide(Configuration configuration) {
    this.configuration = configuration;
    this.root = FileSystem.getDefaultUri(configuration).toString().replaceFirst("/$", "");
  }

  FileSystem fileSystem() throws Exception {
    return FileSystem.get(configuration);
  }

  /** Runs {@code hadoop fs} with these arguments. */
  Ended run(String... arguments) throws Exception {
    PrintStream out = System.out;
    PrintStream err = System.err;
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStream complaints = new ByteArrayOutputStream();
    FsShell shell = new FsShell(new Configuration(configuration));
    int code;
    try (PrintStream toOutput = new PrintStream(output, true, UTF_8);
        PrintStream toComplaints = new PrintStream(complaints, true, UTF_8)) {
      System.setOut(toOutput);
      System.setErr(toComplaints);
      code = shell.run(arguments);
    } finally {
      System.setOut(out);
      System.setErr(err);
      shell.close();
    }
    return new Ended(code, alike(output.toString(UTF_8)), alike(complaints.toString(UTF_8)));
  }

  private String alike(String text) {
    String anywhere = text.replace(root, "FS:");
    return CHECKPOINT.matcher(DATE.matcher(anywhere).replaceAll("DATE")).replaceAll(".Trash/TIME");
  }
}
