package io.vdfs.it.contract.traced;

import io.vdfs.client.hadoop.trace.TracingAbstractFileSystem;
import io.vdfs.client.hadoop.trace.TracingFileSystem;
import io.vdfs.it.contract.SharedCluster;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** What VDFS promises to Hadoop's suites, through a filesystem that traces it. */
public final class TracedContract extends AbstractFSContract {
  private static final String OPTIONS = "contract/vdfs.xml";

  public TracedContract(Configuration conf) {
    super(conf);
    addConfResource(OPTIONS);
    SharedCluster.get().clientProperties().forEach(conf::set);
    trace(conf);
  }

  /** Makes the traced cluster the default filesystem. */
  public static void trace(Configuration conf) {
    conf.set("fs.trace.impl", TracingFileSystem.class.getName());
    conf.set("fs.AbstractFileSystem.trace.impl", TracingAbstractFileSystem.class.getName());
    conf.set("fs.trace.sink", Sink.DIRECTORY.toUri().toString());
    conf.set("fs.trace.level", "fetches");
    conf.set("fs.defaultFS", uri().toString());
  }

  static URI uri() {
    return URI.create("trace://vdfs-" + SharedCluster.get().uri().getAuthority());
  }

  private static final class Sink {
    static final Path DIRECTORY = create();

    private static Path create() {
      try {
        return Files.createTempDirectory(Path.of("target"), "traces").toAbsolutePath();
      } catch (IOException e) {
        throw new IllegalStateException("no directory for traces", e);
      }
    }
  }

  @Override
  public FileSystem getTestFileSystem() throws IOException {
    return FileSystem.get(uri(), getConf());
  }

  @Override
  public String getScheme() {
    return "trace";
  }

  @Override
  public org.apache.hadoop.fs.Path getTestPath() {
    return new org.apache.hadoop.fs.Path("/test");
  }
}
