package io.vdfs.it.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractPathHandleTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** PathHandle as Hadoop asks for it. */
public class VdfsContractPathHandleIT extends AbstractContractPathHandleTest {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new VdfsContract(conf);
  }
}
