package io.vdfs.it.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.contract.AbstractContractPathHandleTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** PathHandle as Hadoop asks for it. */
public class VdfsContractPathHandleIT extends AbstractContractPathHandleTest {
  public VdfsContractPathHandleIT(String name, Options.HandleOpt[] options, boolean serialized) {
    super(name, options, serialized);
  }

  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new VdfsContract(conf);
  }
}
