package io.vdfs.client.hadoop;

import io.vdfs.client.names.AclChange;
import io.vdfs.client.names.AttributeChange;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The calls of Hadoop's filesystem about attributes, handed on to {@link Attributes}: owner and
 * mode, ACLs, extended attributes, quotas. Thread-safe; has no state of its own.
 */
public abstract class AttributedFileSystem extends FileSystem {
  AttributedFileSystem() {}

  /** Those of the filesystem, once it is initialized. */
  abstract Attributes attributes();

  @Override
  public ContentSummary getContentSummary(Path path) throws IOException {
    return attributes().summary(path);
  }

  @Override
  public QuotaUsage getQuotaUsage(Path path) throws IOException {
    return attributes().quotaUsage(path);
  }

  /**
   * As HDFS: {@code Long.MAX_VALUE} leaves a quota as it is, -1 lifts it.
   *
   * @throws IllegalArgumentException if both stay as they are
   */
  @Override
  public void setQuota(Path path, long namespaceQuota, long storageSpaceQuota) throws IOException {
    attributes().setQuota(path, namespaceQuota, storageSpaceQuota);
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    attributes().change(path, AttributeChange.mode(FileCreation.mode(permission)));
  }

  @Override
  public void setOwner(Path path, String owner, String group) throws IOException {
    if (owner == null && group == null) {
      throw new IllegalArgumentException("neither owner nor group given: path=" + path);
    }
    attributes().change(path, AttributeChange.owner(owner, group));
  }

  @Override
  public void setTimes(Path path, long modificationMillis, long accessMillis) throws IOException {
    attributes().change(path, AttributeChange.times(modificationMillis, accessMillis));
  }

  @Override
  public void access(Path path, FsAction mode) throws IOException {
    attributes().checkAccess(path, mode);
  }

  @Override
  public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
    attributes().changeAcl(path, AclChange.MODIFY, entries);
  }

  @Override
  public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
    attributes().changeAcl(path, AclChange.REMOVE_ENTRIES, entries);
  }

  @Override
  public void removeDefaultAcl(Path path) throws IOException {
    attributes().changeAcl(path, AclChange.REMOVE_DEFAULT, List.of());
  }

  @Override
  public void removeAcl(Path path) throws IOException {
    attributes().changeAcl(path, AclChange.REMOVE_ALL, List.of());
  }

  @Override
  public void setAcl(Path path, List<AclEntry> entries) throws IOException {
    attributes().changeAcl(path, AclChange.SET, entries);
  }

  @Override
  public AclStatus getAclStatus(Path path) throws IOException {
    return attributes().acl(path);
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    attributes().setXAttr(path, name, value, flags);
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    return attributes().xattr(path, name);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    return attributes().xattrs(path);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
    return attributes().xattrs(path, names);
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    return List.copyOf(getXAttrs(path).keySet());
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    attributes().removeXAttr(path, name);
  }

  /**
   * False for a directory, as in HDFS, and where the file would need copies that nothing makes yet.
   * The latter is no exception, as MapReduce raises the replication of what it submits and has no
   * use for one.
   */
  @Override
  public boolean setReplication(Path path, short replication) throws IOException {
    return attributes().setReplication(path, replication);
  }
}
