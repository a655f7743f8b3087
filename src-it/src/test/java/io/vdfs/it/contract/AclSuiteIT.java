package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hdfs.server.namenode.FSAclBaseTest;
import org.junit.AssumptionViolatedException;

/** HDFS' own suite for ACLs; every operation is done on HDFS and VDFS and compared. */
public class AclSuiteIT extends FSAclBaseTest {
  private final long comparedBefore = PairedFileSystem.compared();

  /** Before each test, so before the first one the cluster is started. */
  public AclSuiteIT() throws Exception {
    startOnce();
  }

  private static synchronized void startOnce() throws Exception {
    if (cluster == null) {
      conf = new Configuration();
      PairedCluster.pair(conf);
      startCluster();
    }
  }

  @Override
  public void destroyFileSystems() {
    assertTrue(PairedFileSystem.compared() > comparedBefore, "nothing was compared");
    super.destroyFileSystems();
  }

  @Override
  public void testSkipAclEnforcementPermsDisabled() {
    throw new AssumptionViolatedException("VDFS always checks permissions");
  }

  @Override
  public void testDefaultAclNewSymlinkIntermediate() {
    throw new AssumptionViolatedException("VDFS has no symlinks");
  }
}
