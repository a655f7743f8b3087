package io.vdfs.it.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractMultipartUploaderTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** MultipartUploader as Hadoop asks for it. */
public class VdfsContractMultipartUploaderIT extends AbstractContractMultipartUploaderTest {
  private static final int PART_BYTES = 1024;

  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new VdfsContract(conf);
  }

  @Override
  protected int partSizeInBytes() {
    return PART_BYTES;
  }

  @Override
  protected boolean finalizeConsumesUploadIdImmediately() {
    return true;
  }

  @Override
  protected boolean supportsConcurrentUploadsToSamePath() {
    return true;
  }
}
