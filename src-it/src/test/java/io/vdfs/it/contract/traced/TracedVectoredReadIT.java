package io.vdfs.it.contract.traced;

import io.vdfs.it.contract.VdfsContractVectoredReadIT;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** VectoredRead as Hadoop asks for it, through {@code trace://}. */
public class TracedVectoredReadIT extends VdfsContractVectoredReadIT {
  public TracedVectoredReadIT(String bufferType) {
    super(bufferType);
  }

  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
