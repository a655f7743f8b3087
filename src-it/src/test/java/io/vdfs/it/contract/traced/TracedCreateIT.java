package io.vdfs.it.contract.traced;

import io.vdfs.it.contract.VdfsContractCreateIT;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Create as Hadoop asks for it, through {@code trace://}. */
public class TracedCreateIT extends VdfsContractCreateIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
