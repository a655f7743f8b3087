package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractContentSummaryIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** ContentSummary as Hadoop asks for it, through {@code trace://}. */
public class TracedContentSummaryIT extends VdfsContractContentSummaryIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
