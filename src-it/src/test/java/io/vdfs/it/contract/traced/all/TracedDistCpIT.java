package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractDistCpIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** DistCp as Hadoop asks for it, through {@code trace://}. */
public class TracedDistCpIT extends VdfsContractDistCpIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
