package io.vdfs.it.input;

import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;

/** The two interfaces of MapReduce. */
enum Api {
  NEW {
    @Override
    PlannedInput<?> plan(Configuration conf, String format, String inputs)
        throws IOException, InterruptedException {
      return NewApiInput.plan(conf, conf.getClassByNameOrNull(format), inputs);
    }
  },
  OLD {
    @Override
    PlannedInput<?> plan(Configuration conf, String format, String inputs) throws IOException {
      return OldApiInput.plan(conf, conf.getClassByNameOrNull(format), inputs);
    }
  };

  abstract PlannedInput<?> plan(Configuration conf, String format, String inputs)
      throws IOException, InterruptedException;

  /** Name of one of Hadoop's formats in this API. */
  String formatName(String simpleName) {
    return (this == NEW ? "org.apache.hadoop.mapreduce.lib.input." : "org.apache.hadoop.mapred.")
        + simpleName;
  }

  /** The input as Hadoop plans it. */
  PlannedInput<?> planStatic(Configuration conf, String format, String inputs)
      throws IOException, InterruptedException {
    return plan(new Configuration(conf), format, inputs);
  }

  /** The input with the same format below ours. */
  PlannedInput<?> planLogical(Configuration conf, String format, String inputs)
      throws IOException, InterruptedException {
    Configuration job = new Configuration(conf);
    job.set(InputKeys.WRAPPED_FORMAT, format);
    String ours = this == NEW ? "VdfsInputFormat" : "mapred.VdfsInputFormat";
    return plan(job, "io.vdfs.mapreduce." + ours, inputs);
  }
}
