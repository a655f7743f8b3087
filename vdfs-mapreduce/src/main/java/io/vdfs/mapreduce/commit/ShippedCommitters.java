package io.vdfs.mapreduce.commit;

import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Locale;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The few classes that a job's committer is made of, in a small jar that travels with the job. A
 * node that has the jar of VDFS takes them from there. On a node without it nothing else of VDFS
 * would run: the ApplicationMaster would fail to load the committer and end without telling the
 * client why. There the shipped committer says so, see {@link MissingJar}.
 *
 * <p>The jar lies beside the directories of the user's jobs and stays, since a job that is made
 * from another one's settings names it too. Stateless.
 */
final class ShippedCommitters {
  private static final List<Class<?>> CLASSES =
      List.of(
          AuditedCommit.class,
          AuditedCommit.Question.class,
          AuditedCommit.Step.class,
          AuditingCommitter.class,
          AuditingCommitterFactory.class,
          AuditingFileOutputCommitter.class,
          AuditingOutputCommitter.class,
          JobStream.class,
          MissingJar.class);

  private static final FsPermission READABLE = new FsPermission((short) 0644);

  private ShippedCommitters() {}

  /**
   * Adds the jar to what YARN brings into the containers of a job that is being submitted. Nothing
   * is shipped where a container isolates the job's classes from those of Hadoop: that would
   * separate the committer from the rest of VDFS.
   *
   * @param conf of the job, whose directory and whose other files are in their places already
   */
  static void ship(Configuration conf) throws IOException {
    String directory = conf.get(MRJobConfig.MAPREDUCE_JOB_DIR);
    if (directory == null
        || !MRConfig.YARN_FRAMEWORK_NAME.equals(conf.get(MRConfig.FRAMEWORK_NAME))
        || conf.getBoolean(MRJobConfig.MAPREDUCE_JOB_CLASSLOADER, false)) {
      return;
    }
    Path jobDirectory = new Path(directory);
    FileSystem fileSystem = jobDirectory.getFileSystem(conf);
    FileStatus jar = place(fileSystem, jobDirectory);
    String uri = jar.getPath().toUri().toString();
    if (conf.getTrimmedStringCollection(MRJobConfig.CACHE_FILES).contains(uri)) {
      return;
    }
    append(conf, MRJobConfig.CACHE_FILES, uri);
    append(conf, MRJobConfig.CACHE_FILE_TIMESTAMPS, Long.toString(jar.getModificationTime()));
    append(conf, MRJobConfig.CACHE_FILES_SIZES, Long.toString(jar.getLen()));
    append(conf, MRJobConfig.CACHE_FILE_VISIBILITIES, "false");
  }

  private static FileStatus place(FileSystem fileSystem, Path jobDirectory) throws IOException {
    byte[] bytes = jar();
    Path jar = new Path(jobDirectory.getParent(), name(bytes));
    try {
      return fileSystem.getFileStatus(jar);
    } catch (FileNotFoundException e) {
      Path written = new Path(jobDirectory, jar.getName());
      try (OutputStream out = FileSystem.create(fileSystem, written, READABLE)) {
        out.write(bytes);
      }
      moveUnlessThere(fileSystem, written, jar);
      return fileSystem.getFileStatus(jar);
    }
  }

  /** The first job places it: a jar that is in use must not change. */
  private static void moveUnlessThere(FileSystem fileSystem, Path written, Path jar)
      throws IOException {
    try {
      if (!fileSystem.rename(written, jar)) {
        fileSystem.delete(written, false);
      }
    } catch (FileAlreadyExistsException e) {
      fileSystem.delete(written, false);
    }
  }

  /** Named by its content, so that each build has a file of its own. */
  private static String name(byte[] jar) {
    CRC32C checksum = new CRC32C();
    checksum.update(jar);
    return String.format(Locale.ROOT, "vdfs-committers-%08x.jar", checksum.getValue());
  }

  static byte[] jar() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream jar = new JarOutputStream(bytes)) {
      for (Class<?> type : CLASSES) {
        String name = type.getName().replace('.', '/') + ".class";
        JarEntry entry = new JarEntry(name);
        // the same bytes each time
        entry.setTime(0);
        jar.putNextEntry(entry);
        try (InputStream in = type.getClassLoader().getResourceAsStream(name)) {
          in.transferTo(jar);
        }
        jar.closeEntry();
      }
    }
    return bytes.toByteArray();
  }

  private static void append(Configuration conf, String key, String value) {
    String before = conf.get(key, "");
    conf.set(key, before.isEmpty() ? value : before + "," + value);
  }
}
