package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.hdfs.DFSConfigKeys;
import org.apache.hadoop.hdfs.server.namenode.FSXAttrBaseTest;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.AssumptionViolatedException;

/** HDFS' own suite for extended attributes; every operation is done on both and compared. */
public class XAttrSuiteIT extends FSXAttrBaseTest {
  private static final int MOST_ATTRIBUTES = 32;
  private static final int MOST_BYTES = 16 << 10;

  private static boolean paired;

  /** Before each test, so before the first one the suite's NameNode is paired. */
  public XAttrSuiteIT() throws Exception {
    pairOnce();
  }

  /** The suite's limits are replaced by HDFS' defaults, as VDFS has no others. */
  private static synchronized void pairOnce() throws Exception {
    if (!paired) {
      paired = true;
      PairedCluster.empty();
      PairedCluster.pair(conf);
      conf.setInt(DFSConfigKeys.DFS_NAMENODE_MAX_XATTRS_PER_INODE_KEY, MOST_ATTRIBUTES);
      conf.setInt(DFSConfigKeys.DFS_NAMENODE_MAX_XATTR_SIZE_KEY, MOST_BYTES);
      restart(false);
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

  /** The suite's steps with names that mean something to VDFS. */
  @SuiteTest
  @Override
  public void testCreateXAttr() throws Exception {
    fs.create(filePath).close();
    EnumSet<XAttrSetFlag> create = EnumSet.of(XAttrSetFlag.CREATE);
    fs.setXAttr(filePath, name1, value1, create);
    assertThrows(IOException.class, () -> fs.setXAttr(filePath, name1, value1, create));
    fs.removeXAttr(filePath, name1);
    assertEquals(Map.of(), fs.getXAttrs(filePath));

    fs.setXAttr(filePath, name1, value1, create);
    fs.setXAttr(filePath, name2, null, create);
    fs.setXAttr(filePath, "trusted.a1", value2, create);
    restart(true);
    fs = createFileSystem();
    Map<String, byte[]> attributes = fs.getXAttrs(filePath);
    assertEquals(Set.of(name1, name2, "trusted.a1"), attributes.keySet());
    assertArrayEquals(value1, attributes.get(name1));
    assertArrayEquals(new byte[0], attributes.get(name2));
    assertThrows(IOException.class, () -> fs.setXAttr(filePath, "security.a1", null));
    assertThrows(IOException.class, () -> fs.setXAttr(filePath, raw1, value1));
  }

  /** The suite's steps with HDFS' default limits. */
  @SuiteTest
  @Override
  public void testSetXAttr() throws Exception {
    fs.mkdirs(path);
    EnumSet<XAttrSetFlag> both = EnumSet.of(XAttrSetFlag.CREATE, XAttrSetFlag.REPLACE);
    fs.setXAttr(path, name1, value1, both);
    fs.setXAttr(path, name1, newValue1, both);
    assertArrayEquals(newValue1, fs.getXAttr(path, name1));
    for (String name : new String[] {null, "user.", "a1", ".a1", "other.a1"}) {
      assertThrows(Exception.class, () -> fs.setXAttr(path, name, value1, both));
    }
    assertThrows(
        IOException.class,
        () -> fs.setXAttr(path, name1, value1, EnumSet.noneOf(XAttrSetFlag.class)));

    for (int i = 1; i < MOST_ATTRIBUTES; i++) {
      fs.setXAttr(path, "user.more" + i, value1);
    }
    assertThrows(IOException.class, () -> fs.setXAttr(path, name4, value1));
    fs.setXAttr(path, name1, value2);
    fs.removeXAttr(path, "user.more1");
    fs.removeXAttr(path, "user.more2");

    fs.setXAttr(path, "user.111", new byte[MOST_BYTES - 3]);
    assertThrows(IOException.class, () -> fs.setXAttr(path, "user.111", new byte[MOST_BYTES - 2]));
    String longest = "n".repeat(255);
    fs.setXAttr(path, "user." + longest, value1);
    assertEquals(MOST_ATTRIBUTES, fs.listXAttrs(path).size());
  }

  @SuiteTest
  @Override
  public void testRawXAttrs() {
    throw new AssumptionViolatedException("VDFS has no /.reserved/raw");
  }

  @SuiteTest
  @Override
  public void testUnreadableBySuperuserXAttr() {
    throw new AssumptionViolatedException("the superuser of VDFS reads everything");
  }
}
