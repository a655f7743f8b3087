package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.server.namenode.FSAclBaseTest;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.AssumptionViolatedException;

/** HDFS' own suite for ACLs; every operation is done on HDFS and VDFS and compared. */
public class AclSuiteIT extends FSAclBaseTest {
  /** Before each test, so before the first one the cluster is started. */
  public AclSuiteIT() throws Exception {
    startOnce();
  }

  private static synchronized void startOnce() throws Exception {
    if (cluster == null) {
      conf = new Configuration();
      PairedCluster.empty();
      PairedCluster.pair(conf);
      startCluster();
    }
  }

  @Override
  protected FileSystem createFileSystem() throws Exception {
    return assertInstanceOf(PairedFileSystem.class, super.createFileSystem());
  }

  @Override
  protected FileSystem createFileSystem(UserGroupInformation user) throws Exception {
    return assertInstanceOf(PairedFileSystem.class, super.createFileSystem(user));
  }

  @SuiteTest
  @Override
  public void testSkipAclEnforcementPermsDisabled() {
    throw new AssumptionViolatedException("VDFS always checks permissions");
  }

  @SuiteTest
  @Override
  public void testUMaskDefaultAclNewFile() {
    throw new AssumptionViolatedException("switches off the NameNode's POSIX inheritance of ACLs");
  }

  @SuiteTest
  @Override
  public void testUMaskDefaultAclNewDir() {
    throw new AssumptionViolatedException("switches off the NameNode's POSIX inheritance of ACLs");
  }

  @SuiteTest
  @Override
  public void testDefaultAclNewSymlinkIntermediate() {
    throw new AssumptionViolatedException("VDFS has no symlinks");
  }
}
