package io.vdfs.mapreduce.commit;

import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;

/**
 * Wraps the committer that the job would have used in one that audits the job's stream before the
 * output is committed. Installed at submission by {@code VdfsInputFormat}. Stateless.
 */
public final class AuditingCommitterFactory extends PathOutputCommitterFactory {
  /** For instantiation by MapReduce. */
  public AuditingCommitterFactory() {}

  @Override
  public PathOutputCommitter createOutputCommitter(Path outputPath, TaskAttemptContext context)
      throws IOException {
    AuditedCommit commit = AuditedCommit.ofThisProcess();
    return new AuditingCommitter(outputPath, context, audited(outputPath, context, commit), commit);
  }

  private static PathOutputCommitter audited(
      Path outputPath, TaskAttemptContext context, AuditedCommit commit) throws IOException {
    if (!commit.hasJar()) {
      // it would look for the filesystem of the output, and the client would not see that fail
      return new FileOutputCommitter(null, context);
    }
    return factoryBelow(outputPath, context.getConfiguration())
        .createOutputCommitter(outputPath, context);
  }

  /** Has the job's committer audit the stream whose id stands in {@code conf}. */
  static void install(Configuration conf) {
    String configured = conf.get(COMMITTER_FACTORY_CLASS, "");
    if (configured.equals(AuditingCommitterFactory.class.getName())) {
      return;
    }
    conf.set(InputKeys.AUDITED_COMMITTER_FACTORY, configured);
    conf.set(COMMITTER_FACTORY_CLASS, AuditingCommitterFactory.class.getName());
  }

  private static PathOutputCommitterFactory factoryBelow(Path outputPath, Configuration conf) {
    Configuration below = new Configuration(conf);
    String configured = conf.get(InputKeys.AUDITED_COMMITTER_FACTORY, "");
    if (configured.isEmpty()) {
      below.unset(COMMITTER_FACTORY_CLASS);
    } else {
      below.set(COMMITTER_FACTORY_CLASS, configured);
    }
    return getCommitterFactory(outputPath, below);
  }
}
