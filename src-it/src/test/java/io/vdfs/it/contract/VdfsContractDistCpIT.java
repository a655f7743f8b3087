package io.vdfs.it.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;
import org.apache.hadoop.tools.contract.AbstractContractDistCpTest;

/** DistCp as Hadoop asks for it. */
public class VdfsContractDistCpIT extends AbstractContractDistCpTest {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new VdfsContract(conf);
  }

  @Override
  protected boolean shouldUseDirectWrite() {
    return false;
  }
}
