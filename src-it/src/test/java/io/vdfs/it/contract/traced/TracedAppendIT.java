package io.vdfs.it.contract.traced;

import io.vdfs.it.contract.VdfsContractAppendIT;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Append as Hadoop asks for it, through {@code trace://}. */
public class TracedAppendIT extends VdfsContractAppendIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
