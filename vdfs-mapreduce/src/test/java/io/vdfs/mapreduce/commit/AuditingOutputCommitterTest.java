package io.vdfs.mapreduce.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.OutputCommitter;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.junit.jupiter.api.Test;

class AuditingOutputCommitterTest {
  private final JobConf conf = new JobConf(false);

  @Test
  void shouldStayACommitterOfFilesWhenItWrapsOne() throws IOException {
    AuditingOutputCommitter.install(conf);
    assertInstanceOf(FileOutputCommitter.class, conf.getOutputCommitter());
    conf.set("mapreduce.task.attempt.id", "attempt_1_0001_m_000000_0");
    conf.set("fs.defaultFS", "file:///");
    FileOutputFormat.setOutputPath(conf, new Path("/out"));
    String written = FileOutputFormat.getTaskOutputPath(conf, "part").toString();
    assertEquals(
        "file:/out/_temporary/0/_temporary/attempt_1_0001_m_000000_0/part",
        written,
        "an attempt must not write into the output itself");
  }

  @Test
  void shouldWrapACommitterOfAnotherKind() {
    conf.setOutputCommitter(Recording.class);
    AuditingOutputCommitter.install(conf);
    AuditingOutputCommitter committer =
        assertInstanceOf(AuditingOutputCommitter.class, conf.getOutputCommitter());
    assertEquals("AuditingOutputCommitter{recording}", committer.toString());
  }

  @Test
  void shouldWrapOnce() {
    AuditingOutputCommitter.install(conf);
    AuditingOutputCommitter.install(conf);
    assertEquals(FileOutputCommitter.class.getName(), conf.get(InputKeys.AUDITED_COMMITTER));
  }

  /** A committer without files. */
  public static final class Recording extends OutputCommitter {
    private final List<String> calls = new ArrayList<>();

    @Override
    public void setupJob(JobContext job) {
      calls.add("setupJob");
    }

    @Override
    public void setupTask(TaskAttemptContext task) {
      calls.add("setupTask");
    }

    @Override
    public boolean needsTaskCommit(TaskAttemptContext task) {
      return false;
    }

    @Override
    public void commitTask(TaskAttemptContext task) {
      calls.add("commitTask");
    }

    @Override
    public void abortTask(TaskAttemptContext task) {
      calls.add("abortTask");
    }

    @Override
    public String toString() {
      return "recording" + String.join(",", calls);
    }
  }
}
