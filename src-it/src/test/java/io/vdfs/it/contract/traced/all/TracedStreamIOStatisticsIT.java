package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractStreamIOStatisticsIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** StreamIOStatistics as Hadoop asks for it, through {@code trace://}. */
public class TracedStreamIOStatisticsIT extends VdfsContractStreamIOStatisticsIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
