package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.FileContextMainOperationsIT;
import io.vdfs.it.contract.SharedCluster;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;

/** Hadoop's suite for the main operations of a {@code FileContext}, through {@code trace://}. */
public class TracedFileContextIT extends FileContextMainOperationsIT {
  @SuppressWarnings("StaticAssignmentInConstructor") // the suite's field is static
  public TracedFileContextIT() throws Exception {
    Configuration conf = SharedCluster.get().configuration();
    TracedContract.trace(conf);
    fc = FileContext.getFileContext(conf);
  }
}
