package io.vdfs.it.input;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.common.model.StreamId;
import io.vdfs.it.cluster.WorkDirectory;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Whole jobs in this JVM, over the files that {@link #writeInput} makes. Hadoop's local runner
 * takes the job's committer from the client's settings as they were before submission, so it makes
 * no audit; its tasks have the auditing committer. Confined to the test's thread.
 */
final class LocalJobs implements AutoCloseable {
  private static final int BLOCK = InputCluster.SPEC.geometry().blockSize();

  private final WorkDirectory directory;
  private final VdfsFileSystem fileSystem;

  private LocalJobs(WorkDirectory directory, VdfsFileSystem fileSystem) {
    this.directory = directory;
    this.fileSystem = fileSystem;
  }

  static LocalJobs open(String name) throws IOException {
    return new LocalJobs(WorkDirectory.create(name), (VdfsFileSystem) InputCluster.newFileSystem());
  }

  /**
   * Two files of lines that are all different, {@code a} and {@code b}. Their last blocks are half
   * full, so that whichever block a task draws first has hundreds of lines.
   */
  void writeInput(String input) throws IOException {
    writeInput(new InputFiles(fileSystem, 4), input);
  }

  /** As {@link #writeInput}, with one copy of each block, unless it is there already. */
  void writeInputOnce(String input) throws IOException {
    if (fileSystem.exists(new Path(input))) {
      return;
    }
    Configuration conf = InputCluster.configuration();
    conf.setInt("dfs.replication", 1);
    try (FileSystem scattering = FileSystem.newInstance(fileSystem.getUri(), conf)) {
      writeInput(new InputFiles(scattering, 4), input);
    }
  }

  private static void writeInput(InputFiles files, String input) throws IOException {
    files.text(input + "/a", 7L * BLOCK - BLOCK / 2, "\n", 60);
    files.text(input + "/b", 5L * BLOCK - BLOCK / 2, "\n", 60);
  }

  /** Bytes of the files that {@link #writeInput} made. */
  long length(String input) throws IOException {
    return fileSystem.getContentSummary(new Path(input)).getLength();
  }

  VdfsFileSystem fileSystem() {
    return fileSystem;
  }

  Configuration configuration() throws IOException {
    Configuration conf = InputCluster.configuration();
    conf.set("mapreduce.framework.name", "local");
    conf.set("hadoop.tmp.dir", directory.directory("tmp").toString());
    conf.setInt("mapreduce.local.map.tasks.maximum", 3);
    conf.setInt("mapreduce.client.progressmonitor.pollinterval", 50);
    conf.setInt("mapreduce.client.completion.pollinterval", 50);
    return conf;
  }

  /** All lines, sorted, each after the name of its file and a tab. */
  List<String> namedLines(String input) throws IOException {
    List<String> named = new ArrayList<>();
    for (String file : List.of(input + "/a", input + "/b")) {
      for (String line : lines(new Path(file))) {
        named.add(fileSystem.makeQualified(new Path(file)) + "\t" + line);
      }
    }
    named.sort(null);
    return named;
  }

  /** What the ledger knows of the stream of a submitted job. */
  StreamStatus stream(Configuration submitted) throws IOException {
    StreamId id = StreamId.parse(submitted.get(InputKeys.STREAM_ID));
    return fileSystem.vdfsClient().ledger().status(id);
  }

  /** The lines of a job's output, sorted. */
  List<String> output(String name) throws IOException {
    List<String> all = new ArrayList<>();
    for (FileStatus file : fileSystem.globStatus(new Path(name, "part-*"))) {
      all.addAll(lines(file.getPath()));
    }
    all.sort(null);
    return all;
  }

  List<String> lines(Path file) throws IOException {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(fileSystem.open(file), StandardCharsets.UTF_8))) {
      return reader.lines().toList();
    }
  }

  @Override
  public void close() throws IOException {
    fileSystem.close();
    directory.close();
  }
}
