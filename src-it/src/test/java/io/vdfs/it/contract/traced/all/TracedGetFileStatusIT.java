package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractGetFileStatusIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** GetFileStatus as Hadoop asks for it, through {@code trace://}. */
public class TracedGetFileStatusIT extends VdfsContractGetFileStatusIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
