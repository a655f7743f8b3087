package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.contract.AbstractContractBulkDeleteTest;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** BulkDelete as Hadoop asks for it. */
public class VdfsContractBulkDeleteIT extends AbstractContractBulkDeleteTest {
  private static final int PAGE = 1_000;

  @SuiteTest
  @Override
  public void validatePageSize() {
    assertEquals(PAGE, pageSize);
  }

  @Override
  protected AbstractFSContract createContract(Configuration conf) {
    return new VdfsContract(conf);
  }
}
