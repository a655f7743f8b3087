package io.vdfs.it.contract.traced.all;

import io.vdfs.it.contract.VdfsContractMultipartUploaderIT;
import io.vdfs.it.contract.traced.TracedContract;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** MultipartUploader as Hadoop asks for it, through {@code trace://}. */
public class TracedMultipartUploaderIT extends VdfsContractMultipartUploaderIT {
  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new TracedContract(conf);
  }
}
