package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import org.apache.hadoop.fs.FileSystem;
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
  protected FileSystem createFileSystem() throws Exception {
    return assertInstanceOf(PairedFileSystem.class, super.createFileSystem());
  }

  @Override
  public void testSetXAttr() {
    throw new AssumptionViolatedException("asks for limits of 3 attributes and 16 bytes");
  }

  @Override
  public void testUnreadableBySuperuserXAttr() {
    throw new AssumptionViolatedException("VDFS has no files that superusers cannot read");
  }

  @Override
  public void testRawXAttrs() {
    throw new AssumptionViolatedException("VDFS has no encryption zones, so no /.reserved/raw");
  }
}
