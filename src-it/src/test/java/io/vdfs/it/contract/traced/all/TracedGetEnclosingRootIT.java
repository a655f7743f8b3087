package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractGetEnclosingRootIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** GetEnclosingRoot as Hadoop asks for it, through {@code trace://}. */
public class TracedGetEnclosingRootIT extends VdfsContractGetEnclosingRootIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
