package io.vdfs.client.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.wire.proto.MetaRequest;
import java.io.FileNotFoundException;
import java.net.URI;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class VdfsAbstractFileSystemTest {
  private final TestFileSystems systems = new TestFileSystems();
  private VdfsAbstractFileSystem fs;

  @BeforeEach
  void open() throws Exception {
    fs =
        new VdfsAbstractFileSystem(
            TestFileSystems.NAMED, TestFileSystems.configuration(), systems.create());
    fs.mkdir(new Path("/d"), new FsPermission((short) 0755), false);
  }

  private void create(String path, EnumSet<CreateFlag> flags, boolean createParent)
      throws Exception {
    try (FSDataOutputStream out =
        fs.createInternal(
            new Path(path),
            flags,
            new FsPermission((short) 0666),
            4096,
            (short) 3,
            1 << 20,
            null,
            Options.ChecksumOpt.createDisabled(),
            createParent)) {
      out.write(1);
    }
  }

  @Test
  void shouldCreateInOneStepWithTheAbsolutePermission() throws Exception {
    systems.cluster().forgetCalls();

    create("/d/f", EnumSet.of(CreateFlag.CREATE), false);

    assertEquals(
        Map.of(MetaRequest.OpCase.CREATE, 1, MetaRequest.OpCase.COMPLETE, 1),
        systems.cluster().operations());
    assertEquals(0666, fs.getFileStatus(new Path("/d/f")).getPermission().toShort());
    assertThrows(
        FileNotFoundException.class, () -> create("/none/f", EnumSet.of(CreateFlag.CREATE), false));
    assertThrows(
        FileAlreadyExistsException.class,
        () -> create("/d/f", EnumSet.of(CreateFlag.CREATE), false));
    create("/d/f", EnumSet.of(CreateFlag.CREATE, CreateFlag.APPEND), false);
    assertEquals(2, fs.getFileStatus(new Path("/d/f")).getLen());
  }

  @Test
  void shouldRenameInOneStep() throws Exception {
    create("/d/f", EnumSet.of(CreateFlag.CREATE), false);
    create("/d/g", EnumSet.of(CreateFlag.CREATE), false);
    systems.cluster().forgetCalls();

    assertThrows(
        FileAlreadyExistsException.class,
        () -> fs.rename(new Path("/d/f"), new Path("/d/g"), Options.Rename.NONE));
    fs.rename(new Path("/d/f"), new Path("/d/g"), Options.Rename.OVERWRITE);

    assertEquals(Map.of(MetaRequest.OpCase.RENAME, 2), systems.cluster().operations());
    assertTrue(fs.listStatusIterator(new Path("/d")).hasNext());
    assertEquals(1, fs.listStatus(new Path("/d")).length);
  }

  @Test
  void shouldKeepExtendedAttributes() throws Exception {
    fs.setXAttr(new Path("/d"), "user.a", new byte[] {1});

    assertEquals(List.of("user.a"), fs.listXAttrs(new Path("/d")));
    fs.removeXAttr(new Path("/d"), "user.a");
    assertEquals(List.of(), fs.listXAttrs(new Path("/d")));
  }

  @Test
  void shouldStandInForAnotherScheme() throws Exception {
    VdfsAbstractFileSystem alias =
        new VdfsAbstractFileSystem(
            URI.create("hdfs://test/"), TestFileSystems.configuration(), systems.create());

    assertEquals(
        new Path("hdfs://test/d"), alias.listStatusIterator(new Path("/")).next().getPath());
    assertEquals("hdfs", alias.getUri().getScheme());
  }

  @Test
  void shouldServeFileContexts() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set("fs.vdfs.cluster.main.zookeeper", "no.such.host.invalid:1");
    configuration.set("fs.AbstractFileSystem.vdfs.impl", VdfsAbstractFileSystem.class.getName());
    FileContext context = FileContext.getFileContext(URI.create("vdfs:///"), configuration);

    assertEquals("vdfs", context.getDefaultFileSystem().getUri().getScheme());
    assertFalse(context.getDefaultFileSystem().supportsSymlinks());
  }
}
