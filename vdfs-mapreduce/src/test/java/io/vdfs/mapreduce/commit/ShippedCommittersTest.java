package io.vdfs.mapreduce.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.task.JobContextImpl;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class ShippedCommittersTest {
  private static final org.apache.hadoop.fs.Path OUTPUT =
      new org.apache.hadoop.fs.Path("vdfs://cluster/out");

  @TempDir private Path directory;
  private Path jobDirectory;
  private final JobConf conf = new JobConf(false);

  @BeforeEach
  void beginSubmission() throws IOException {
    jobDirectory = Files.createDirectories(directory.resolve("staging/job_1"));
    conf.set("fs.defaultFS", "file:///");
    conf.set("fs.vdfs.impl", "io.vdfs.client.hadoop.VdfsFileSystem");
    conf.set("mapreduce.framework.name", "yarn");
    conf.set("mapreduce.job.dir", jobDirectory.toUri().toString());
  }

  @Test
  void shouldSayInTheMasterAndInTasksOfTheNewApiThatTheJarIsMissing() throws Exception {
    AuditingCommitterFactory.install(conf);
    conf.setClassLoader(containerWithoutTheJar());
    TaskAttemptContextImpl task = new TaskAttemptContextImpl(conf, new TaskAttemptID());
    PathOutputCommitter committer =
        PathOutputCommitterFactory.getCommitterFactory(OUTPUT, conf)
            .createOutputCommitter(OUTPUT, task);
    JobContextImpl job = new JobContextImpl(conf, new JobID());

    assertNamesTheCure(() -> committer.setupJob(job));
    assertNamesTheCure(() -> committer.setupTask(task));

    committer.abortJob(job, JobStatus.State.FAILED);
  }

  @Test
  void shouldSayInTheMasterAndInTasksOfTheOldApiThatTheJarIsMissing() throws Exception {
    FileOutputFormat.setOutputPath(conf, OUTPUT);
    AuditingOutputCommitter.install(conf);
    assertOldCommitterNamesTheCure();
    FileOutputCommitter committer = (FileOutputCommitter) conf.getOutputCommitter();
    assertNamesTheCure(() -> committer.getTaskAttemptPath(task()));
  }

  @Test
  void shouldSaySoForACommitterWithoutFilesToo() throws Exception {
    conf.setOutputCommitter(AuditingOutputCommitterTest.Recording.class);
    AuditingOutputCommitter.install(conf);
    assertOldCommitterNamesTheCure();
  }

  private void assertOldCommitterNamesTheCure() throws IOException {
    conf.setClassLoader(containerWithoutTheJar());
    conf.set("mapreduce.task.attempt.id", "attempt_1_0001_m_000000_0");
    org.apache.hadoop.mapred.OutputCommitter committer = conf.getOutputCommitter();
    JobContext job =
        new org.apache.hadoop.mapred.JobContextImpl(conf, new org.apache.hadoop.mapred.JobID());
    assertNamesTheCure(() -> committer.setupJob(job));
    assertNamesTheCure(() -> committer.setupTask(task()));
  }

  private TaskAttemptContext task() {
    return new org.apache.hadoop.mapred.TaskAttemptContextImpl(
        conf, new org.apache.hadoop.mapred.TaskAttemptID());
  }

  @Test
  void shouldTravelWithAJobOfYarn() throws IOException {
    ShippedCommitters.ship(conf);

    Path jar = shippedJar();
    assertEquals(jar.toUri(), URI.create(conf.get("mapreduce.job.cache.files")));
    assertEquals(Long.toString(Files.size(jar)), conf.get("mapreduce.job.cache.files.filesizes"));
    assertEquals(
        Long.toString(Files.getLastModifiedTime(jar).toMillis()),
        conf.get("mapreduce.job.cache.files.timestamps"));
    assertEquals("false", conf.get("mapreduce.job.cache.files.visibilities"));
  }

  @Test
  void shouldComeAfterTheFilesThatTheJobHasItself() throws IOException {
    conf.set("mapreduce.job.cache.files", "hdfs://nn/words.txt");
    conf.set("mapreduce.job.cache.files.timestamps", "17");
    conf.set("mapreduce.job.cache.files.filesizes", "4");
    conf.set("mapreduce.job.cache.files.visibilities", "true");

    ShippedCommitters.ship(conf);

    assertTrue(conf.get("mapreduce.job.cache.files").startsWith("hdfs://nn/words.txt,file:"));
    assertTrue(conf.get("mapreduce.job.cache.files.timestamps").startsWith("17,"));
    assertTrue(conf.get("mapreduce.job.cache.files.filesizes").startsWith("4,"));
    assertEquals("true,false", conf.get("mapreduce.job.cache.files.visibilities"));
  }

  /**
   * Its files are looked up before its input is planned, when the first job's directory is gone.
   */
  @Test
  void shouldStayForAJobThatIsMadeFromTheSettingsOfAnother() throws IOException {
    ShippedCommitters.ship(conf);
    String shipped = conf.get("mapreduce.job.cache.files");
    Files.delete(jobDirectory);
    Path second = Files.createDirectories(directory.resolve("staging/job_2"));
    conf.set("mapreduce.job.dir", second.toUri().toString());

    ShippedCommitters.ship(conf);

    assertTrue(Files.exists(shippedJar()));
    assertEquals(shipped, conf.get("mapreduce.job.cache.files"));
    assertEquals("false", conf.get("mapreduce.job.cache.files.visibilities"));
  }

  @Test
  void shouldNotTravelWhereItWouldBeOfNoUseOrSplitTheCommitterFromTheRest() throws IOException {
    conf.setBoolean("mapreduce.job.classloader", true);
    ShippedCommitters.ship(conf);
    conf.setBoolean("mapreduce.job.classloader", false);
    conf.set("mapreduce.framework.name", "local");
    ShippedCommitters.ship(conf);
    conf.set("mapreduce.framework.name", "yarn");
    conf.unset("mapreduce.job.dir");
    ShippedCommitters.ship(conf);

    assertNull(conf.get("mapreduce.job.cache.files"));
  }

  private Path shippedJar() throws IOException {
    try (var files = Files.list(directory.resolve("staging"))) {
      List<Path> jars = files.filter(file -> file.toString().endsWith(".jar")).toList();
      assertEquals(1, jars.size(), jars.toString());
      return jars.get(0);
    }
  }

  private static void assertNamesTheCure(Executable step) {
    String message = assertThrows(IOException.class, step).getMessage();
    assertTrue(
        message.startsWith("the jar of VDFS is not on the class path of this container: host="),
        message);
    assertTrue(
        message.contains("; put vdfs-hadoop-*.jar into share/hadoop/common/lib of each"), message);
  }

  /** A loader of Hadoop, and of those classes of VDFS that travel with the job. */
  private ClassLoader containerWithoutTheJar() throws IOException {
    Path jar = Files.write(directory.resolve("shipped.jar"), ShippedCommitters.jar());
    return new URLClassLoader(new URL[] {jar.toUri().toURL()}, new WithoutVdfs());
  }

  /** A job's own classes come with the job. */
  private static final class WithoutVdfs extends ClassLoader {
    WithoutVdfs() {
      super(Configuration.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      boolean ofTheJob = name.equals(AuditingOutputCommitterTest.Recording.class.getName());
      if (name.startsWith("io.vdfs.") && !ofTheJob) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }
}
