package io.vdfs.it.tools;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.jar.JarFile;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PositionedReadable;
import org.apache.hadoop.util.ToolRunner;
import org.apache.hadoop.util.VersionInfo;

/**
 * Reports what works beside the Hadoop on the class path, in lines of {@code NAME=VALUE}. Classes
 * that a Hadoop may lack are reached by reflection alone, so that this runs beside every release.
 *
 * <p>Usage: {@code LineProbe others} checks filesystems other than VDFS; {@code LineProbe vdfs
 * DIRECTORY LOCAL_DIRECTORY} works in a directory of {@code vdfs://}, which it makes.
 */
public final class LineProbe {
  private static final String OURS = "io.vdfs.client.hadoop.VdfsFileSystem";
  private static final String ABSENT = "absent";
  private static final String TEXT = "written beside any Hadoop\n";

  private LineProbe() {}

  /** Runs the command. */
  public static void main(String[] args) throws Exception {
    tell("hadoop", VersionInfo::getVersion);
    if (args[0].equals("others")) {
      others();
    } else {
      vdfs(new Path(args[1]), java.nio.file.Path.of(args[2]));
    }
  }

  /** Reports what a step throws, linkage errors too, rather than ending with it. */
  private static void tell(String name, Callable<?> step) {
    Object value;
    try {
      value = step.call();
    } catch (Exception | LinkageError e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      value = (cause + " by " + e.getClass().getSimpleName()).lines().findFirst().orElseThrow();
    }
    System.out.println(name + "=" + value);
  }

  private static void others() {
    tell("file", () -> typeOf("file:///"));
    tell("hdfs", () -> typeOf("hdfs://localhost:1/"));
    tell("ours", () -> Class.forName(OURS).getSimpleName());
  }

  private static String typeOf(String uri) throws IOException {
    return FileSystem.get(URI.create(uri), new Configuration()).getClass().getSimpleName();
  }

  private static void vdfs(Path directory, java.nio.file.Path local) throws Exception {
    others();
    java.nio.file.Path source = Files.writeString(local.resolve("source"), TEXT);
    Path file = new Path(directory, "f");
    Path renamed = new Path(directory, "g");
    tell("mkdir", () -> shell("-mkdir", "-p", directory.toString()));
    tell("put", () -> shell("-put", source.toString(), file.toString()));
    tell("ls", () -> shell("-ls", directory.toString()));
    tell("mv", () -> shell("-mv", file.toString(), renamed.toString()));
    tell("get", () -> shell("-get", renamed.toString(), local.resolve("copy").toString()));
    tell("copied", () -> Files.readString(local.resolve("copy")).equals(TEXT));
    tell("context", () -> FileContext.getFileContext(new Configuration()).util().exists(renamed));
    FileSystem fileSystem = renamed.getFileSystem(new Configuration());
    tell("reflection", () -> fileSystem.getClass().getMethods().length > 0);
    for (String capability : List.of("lease.recoverable", "etags.available", "paths.truncate")) {
      String name = "fs.capability." + capability;
      tell(name, () -> fileSystem.hasPathCapability(renamed, name));
    }
    tell("leases", () -> recoversLeases(fileSystem, renamed));
    tell("bulk", () -> bulkDelete(fileSystem, directory));
    tell("ranges", () -> readRanges(fileSystem, renamed));
    alias(fileSystem.getUri(), renamed);
    view(directory);
  }

  private static int shell(String... arguments) throws Exception {
    return ToolRunner.run(new FsShell(new Configuration()), arguments);
  }

  private static Object recoversLeases(FileSystem fileSystem, Path file) throws Exception {
    Class<?> type = ofHadoop("org.apache.hadoop.fs.LeaseRecoverable");
    if (type == null) {
      return ABSENT;
    }
    return type.isInstance(fileSystem)
        && (boolean) type.getMethod("recoverLease", Path.class).invoke(fileSystem, file);
  }

  private static Object bulkDelete(FileSystem fileSystem, Path directory) throws Exception {
    Class<?> source = ofHadoop("org.apache.hadoop.fs.BulkDeleteSource");
    if (source == null) {
      return ABSENT;
    }
    Object bulk = source.getMethod("createBulkDelete", Path.class).invoke(fileSystem, directory);
    return ofHadoop("org.apache.hadoop.fs.BulkDelete").getMethod("pageSize").invoke(bulk);
  }

  private static Object readRanges(FileSystem fileSystem, Path file) throws Exception {
    try (FSDataInputStream in = fileSystem.open(file)) {
      for (String capability : List.of("in:readvectored", "fs.capability.vectoredio.sliced")) {
        tell(capability, () -> in.hasCapability(capability));
      }
      Class<?> range = ofHadoop("org.apache.hadoop.fs.FileRange");
      if (range == null) {
        return ABSENT;
      }
      Method create = range.getMethod("createFileRange", long.class, int.class);
      Object first = create.invoke(null, 0L, 7);
      Object second = create.invoke(null, 8L, 6);
      IntFunction<ByteBuffer> allocate = ByteBuffer::allocate;
      PositionedReadable.class
          .getMethod("readVectored", List.class, IntFunction.class)
          .invoke(in, Arrays.asList(second, first), allocate);
      return text(range, first) + "," + text(range, second);
    }
  }

  private static String text(Class<?> type, Object range) throws Exception {
    CompletableFuture<?> data = (CompletableFuture<?>) type.getMethod("getData").invoke(range);
    ByteBuffer bytes = (ByteBuffer) data.get(30, TimeUnit.SECONDS);
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }

  /** Lists a file under the scheme of HDFS, with our filesystem behind it. */
  private static void alias(URI uri, Path file) {
    Configuration configuration = new Configuration();
    configuration.set("fs.hdfs.impl", configuration.get("fs.vdfs.impl"));
    configuration.set(
        "fs.AbstractFileSystem.hdfs.impl", configuration.get("fs.AbstractFileSystem.vdfs.impl"));
    list("alias", new Path("hdfs://" + uri.getAuthority() + file.toUri().getPath()), configuration);
  }

  /** Lists the directory through a mount table. */
  private static void view(Path directory) {
    Configuration configuration = new Configuration();
    configuration.set("fs.viewfs.mounttable.probe.link./data", directory.toString());
    list("view", new Path("viewfs://probe/data/g"), configuration);
  }

  private static void list(String name, Path file, Configuration configuration) {
    tell(
        name,
        () -> {
          try (FileSystem other = FileSystem.newInstance(file.toUri(), configuration)) {
            return other.listStatus(file)[0].getPath();
          }
        });
    tell(
        name + ".context",
        () ->
            FileContext.getFileContext(file.toUri(), configuration).getFileStatus(file).getPath());
  }

  /** Null if Hadoop has no such class, whatever other jars have. */
  private static Class<?> ofHadoop(String name) throws Exception {
    String resource = name.replace('.', '/') + ".class";
    URL hadoop = FileSystem.class.getProtectionDomain().getCodeSource().getLocation();
    try (JarFile jar = new JarFile(java.nio.file.Path.of(hadoop.toURI()).toFile())) {
      return jar.getEntry(resource) == null ? null : Class.forName(name);
    }
  }
}
