package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractRootDirectoryIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** RootDirectory as Hadoop asks for it, through {@code trace://}. */
public class TracedRootDirectoryIT extends VdfsContractRootDirectoryIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
