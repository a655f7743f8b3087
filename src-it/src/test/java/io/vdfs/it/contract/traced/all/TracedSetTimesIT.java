package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractSetTimesIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** SetTimes as Hadoop asks for it, through {@code trace://}. */
public class TracedSetTimesIT extends VdfsContractSetTimesIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
