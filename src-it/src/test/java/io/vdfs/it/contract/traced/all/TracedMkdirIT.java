package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractMkdirIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** Mkdir as Hadoop asks for it, through {@code trace://}. */
public class TracedMkdirIT extends VdfsContractMkdirIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
