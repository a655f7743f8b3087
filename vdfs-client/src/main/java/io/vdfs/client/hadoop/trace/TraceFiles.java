package io.vdfs.client.hadoop.trace;

import io.vdfs.client.trace.TraceHeader;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.security.PrivilegedExceptionAction;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;

/** Names trace files and opens them. Stateless. */
final class TraceFiles {
  private static final String ATTEMPT_KEY = "mapreduce.task.attempt.id";
  private static final Pattern ATTEMPT = Pattern.compile("attempt_\\d+_\\d+_[a-z]_\\d+_\\d+");

  private TraceFiles() {}

  /** What this process is, as far as its settings, its command line or YARN say. */
  static TraceHeader header(Configuration conf) {
    return new TraceHeader(
        Instant.now(),
        System.nanoTime(),
        host(),
        ProcessHandle.current().pid(),
        attempt(
            conf.get(ATTEMPT_KEY, ""),
            System.getProperty("sun.java.command", ""),
            System.getenv().getOrDefault("CONTAINER_ID", "")));
  }

  private static String host() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }

  /**
   * The first of these that names an attempt.
   *
   * @param command with which the JVM was started; YARN's children have the attempt in it
   */
  static String attempt(String setting, String command, String container) {
    if (!setting.isEmpty()) {
      return setting;
    }
    Matcher found = ATTEMPT.matcher(command);
    return found.find() ? found.group() : container;
  }

  /**
   * @param number of the trace in its process
   */
  static Path path(Path directory, TraceHeader header, int number) {
    String attempt = header.attempt().isEmpty() ? "" : "-" + header.attempt();
    return new Path(
        directory,
        "%s-%d-%d-%d%s.trace"
            .formatted(
                header.host(), header.processId(), header.began().toEpochMilli(), number, attempt));
  }

  /** Opens the filesystem of a sink in the name of the user. */
  static FileSystem sink(URI sink, Configuration conf, UserGroupInformation user)
      throws IOException {
    try {
      return user.doAs(
          (PrivilegedExceptionAction<FileSystem>) () -> InnerFileSystems.open(sink, conf));
    } catch (InterruptedException e) {
      throw new IOException("interrupted while opening the sink of a trace: sink=" + sink, e);
    }
  }

  /** Makes a file; {@code flush} of what is returned makes bytes visible. */
  static OutputStream create(Path path, FileSystem sink) throws IOException {
    return new Visible(plain(sink).create(path, false));
  }

  /** A local directory gets no files with checksums beside: they would be behind after a kill. */
  private static FileSystem plain(FileSystem sink) {
    return sink instanceof LocalFileSystem local ? local.getRawFileSystem() : sink;
  }

  private static final class Visible extends FilterOutputStream {
    private final FSDataOutputStream file;

    Visible(FSDataOutputStream file) {
      super(file);
      this.file = file;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      file.write(bytes, offset, length);
    }

    @Override
    public void flush() throws IOException {
      file.hflush();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
