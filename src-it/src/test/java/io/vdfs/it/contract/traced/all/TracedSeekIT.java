package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractSeekIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Seek as Hadoop asks for it, through {@code trace://}. */
public class TracedSeekIT extends VdfsContractSeekIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
