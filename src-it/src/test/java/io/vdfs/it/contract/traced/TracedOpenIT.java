package io.vdfs.it.contract.traced;

import io.vdfs.it.contract.VdfsContractOpenIT;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Open as Hadoop asks for it, through {@code trace://}. */
public class TracedOpenIT extends VdfsContractOpenIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
