package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractLeaseRecoveryIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** LeaseRecovery as Hadoop asks for it, through {@code trace://}. */
public class TracedLeaseRecoveryIT extends VdfsContractLeaseRecoveryIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
