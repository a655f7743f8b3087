package io.vdfs.it.contract;

import org.apache.hadoop.hdfs.server.namenode.FSXAttrBaseTest;
import org.junit.AssumptionViolatedException;

/**
 * HDFS' own suite for extended attributes; every operation is done on HDFS and VDFS and compared.
 */
public class XAttrSuiteIT extends FSXAttrBaseTest {
  private static boolean paired;

  /** Before each test; before the first one the suite's cluster is started anew with pairs. */
  public XAttrSuiteIT() throws Exception {
    startOnce();
  }

  private static synchronized void startOnce() throws Exception {
    if (!paired) {
      shutdown();
      PairedCluster.pair(conf);
      initCluster(true);
      paired = true;
    }
  }

  @Override
  public void testRawXAttrs() {
    throw new AssumptionViolatedException("VDFS has no encryption zones, so no /.reserved/raw");
  }
}
