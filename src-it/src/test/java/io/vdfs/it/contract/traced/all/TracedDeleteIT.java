package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractDeleteIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Delete as Hadoop asks for it, through {@code trace://}. */
public class TracedDeleteIT extends VdfsContractDeleteIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
