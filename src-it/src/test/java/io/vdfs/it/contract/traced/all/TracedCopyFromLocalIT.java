package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractCopyFromLocalIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** CopyFromLocal as Hadoop asks for it, through {@code trace://}. */
public class TracedCopyFromLocalIT extends VdfsContractCopyFromLocalIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
