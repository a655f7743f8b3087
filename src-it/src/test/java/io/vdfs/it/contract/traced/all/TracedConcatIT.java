package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractConcatIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Concat as Hadoop asks for it, through {@code trace://}. */
public class TracedConcatIT extends VdfsContractConcatIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
