package io.vdfs.mapreduce.files;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.trace.TracingFileSystem;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.viewfs.ConfigUtil;
import org.apache.hadoop.fs.viewfs.ViewFileSystem;
import org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class StreamFileSystemsTest {
  private static final Path INSIDE = new Path("vdfs://test/data/in/f");

  private final Configuration conf = new Configuration();

  @TempDir private File sink;

  /** A filter that changes nothing. */
  public static final class Filter extends FilterFileSystem {
    public Filter() {
      super(new VdfsFileSystem());
    }

    @Override
    public void initialize(URI name, Configuration conf) throws IOException {
      fs.initialize(name, conf);
      super.initialize(name, conf);
    }
  }

  @BeforeEach
  void configure() {
    conf.set("fs.vdfs.cluster.test.zookeeper", "zk:2181");
    conf.set("fs.vdfs.cluster.other.zookeeper", "zk:2181");
    conf.setClass("fs.vdfs.impl", VdfsFileSystem.class, FileSystem.class);
    conf.setClass("fs.trace.impl", TracingFileSystem.class, FileSystem.class);
    conf.setClass("fs.viewfs.impl", ViewFileSystem.class, FileSystem.class);
    conf.set("fs.trace.sink", sink.toURI().toString());
  }

  @AfterEach
  void close() throws IOException {
    FileSystem.closeAll();
  }

  private void assertFound(String path) throws IOException {
    ReachedFiles files = StreamFileSystems.of(new Path(path), conf);
    assertEquals(URI.create("vdfs://test"), files.vdfs().getUri());
    assertEquals(INSIDE, files.inside().apply(new Path(path)));
    assertEquals(new Path(path), files.outside().apply(INSIDE));
  }

  @Test
  void shouldFindVdfs() throws IOException {
    assertFound("vdfs://test/data/in/f");
    assertEquals(
        URI.create("vdfs://test"),
        StreamFileSystems.of(new Path("vdfs://test"), conf).vdfs().getUri());
  }

  @Test
  void shouldFindVdfsThatIsTraced() throws IOException {
    assertFound("trace://vdfs-test/data/in/f");
  }

  @Test
  void shouldFindVdfsBehindMounts() throws IOException {
    ConfigUtil.addLink(conf, "m", "/big", URI.create("vdfs://test/data"));
    ConfigUtil.addLink(conf, "m", "/far", URI.create("vdfs://other/data"));
    assertFound("viewfs://m/big/in/f");
    assertFalse(StreamFileSystems.find(new Path("viewfs://m/x"), conf).isPresent());
    assertEquals(
        URI.create("vdfs://other"),
        StreamFileSystems.of(new Path("viewfs://m/far/f"), conf).vdfs().getUri());
  }

  @Test
  void shouldFindVdfsThatIsTracedBehindMounts() throws IOException {
    ConfigUtil.addLink(conf, "m", "/big", URI.create("trace://vdfs-test/data"));
    assertFound("viewfs://m/big/in/f");
  }

  @Test
  void shouldFindVdfsWhereMountsStandInForIt() throws IOException {
    conf.setClass("fs.vdfs.impl", ViewFileSystemOverloadScheme.class, FileSystem.class);
    conf.setClass(
        "fs.viewfs.overload.scheme.target.vdfs.impl", VdfsFileSystem.class, FileSystem.class);
    ConfigUtil.addLink(conf, "test", "/seen", URI.create("vdfs://test/data"));
    assertFound("vdfs://test/seen/in/f");
  }

  @Test
  void shouldFindVdfsBehindAFilter() throws IOException {
    conf.setClass("fs.vdfs.impl", Filter.class, FileSystem.class);
    assertFound("vdfs://test/data/in/f");
  }

  @Test
  void shouldLeaveFilesAloneThatTasksWouldNotFindAgain() throws IOException {
    ConfigUtil.addLink(conf, "m", "/one", URI.create("vdfs://test/data"));
    ConfigUtil.addLink(conf, "m", "/same", URI.create("vdfs://test/data"));
    boolean one = StreamFileSystems.find(new Path("viewfs://m/one/f"), conf).isPresent();
    boolean same = StreamFileSystems.find(new Path("viewfs://m/same/f"), conf).isPresent();
    assertTrue(one ^ same);
  }

  @Test
  void shouldRefuseOthers() throws IOException {
    assertFalse(StreamFileSystems.find(new Path(sink.toURI()), conf).isPresent());
    assertFalse(StreamFileSystems.find(new Path("trace://file-" + sink), conf).isPresent());
    IOException refused =
        assertThrows(IOException.class, () -> StreamFileSystems.of(new Path(sink.toURI()), conf));
    assertTrue(refused.getMessage().contains("need a vdfs:// filesystem"), refused.getMessage());
  }
}
