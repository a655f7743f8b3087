package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractUnbufferIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Unbuffer as Hadoop asks for it, through {@code trace://}. */
public class TracedUnbufferIT extends VdfsContractUnbufferIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
