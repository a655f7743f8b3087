package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractBulkDeleteIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** BulkDelete as Hadoop asks for it, through {@code trace://}. */
public class TracedBulkDeleteIT extends VdfsContractBulkDeleteIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
