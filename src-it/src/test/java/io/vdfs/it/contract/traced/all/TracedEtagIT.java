package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractEtagIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Etag as Hadoop asks for it, through {@code trace://}. */
public class TracedEtagIT extends VdfsContractEtagIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
