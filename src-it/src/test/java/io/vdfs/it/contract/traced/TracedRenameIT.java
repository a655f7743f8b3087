package io.vdfs.it.contract.traced;

import io.vdfs.it.contract.VdfsContractRenameIT;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Rename as Hadoop asks for it, through {@code trace://}. */
public class TracedRenameIT extends VdfsContractRenameIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
