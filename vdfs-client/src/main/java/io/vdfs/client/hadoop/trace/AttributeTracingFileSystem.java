package io.vdfs.client.hadoop.trace;

import io.vdfs.client.trace.TraceOp;
import java.io.IOException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.BlockStoragePolicySpi;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.StorageType;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * The calls of Hadoop's filesystem about attributes, passed on and recorded: owners, modes and
 * times, ACLs, extended attributes, quotas and what counts against them, storage policies. As
 * thread-safe as the filesystem inside.
 */
public abstract class AttributeTracingFileSystem extends PassingFileSystem {
  AttributeTracingFileSystem() {}

  @Override
  public long getUsed() throws IOException {
    return tracer().call(TraceOp.SUMMARY, null, fs::getUsed);
  }

  @Override
  public long getUsed(Path path) throws IOException {
    return call(TraceOp.SUMMARY, path, inside -> fs.getUsed(inside));
  }

  @Override
  public ContentSummary getContentSummary(Path path) throws IOException {
    return call(TraceOp.SUMMARY, path, inside -> fs.getContentSummary(inside));
  }

  @Override
  public QuotaUsage getQuotaUsage(Path path) throws IOException {
    return call(TraceOp.GET_QUOTA, path, inside -> fs.getQuotaUsage(inside));
  }

  @Override
  public void setQuota(Path path, long namespaceQuota, long storageSpaceQuota) throws IOException {
    run(TraceOp.SET_QUOTA, path, inside -> fs.setQuota(inside, namespaceQuota, storageSpaceQuota));
  }

  @Override
  public void setQuotaByStorageType(Path path, StorageType type, long quota) throws IOException {
    run(TraceOp.SET_QUOTA, path, inside -> fs.setQuotaByStorageType(inside, type, quota));
  }

  @Override
  public boolean setReplication(Path path, short replication) throws IOException {
    return call(TraceOp.SET_REPLICATION, path, inside -> fs.setReplication(inside, replication));
  }

  @Override
  public void access(Path path, FsAction mode) throws IOException {
    run(TraceOp.ACCESS, path, inside -> fs.access(inside, mode));
  }

  @Override
  public void setOwner(Path path, String owner, String group) throws IOException {
    run(TraceOp.SET_OWNER, path, inside -> fs.setOwner(inside, owner, group));
  }

  @Override
  public void setTimes(Path path, long modificationMillis, long accessMillis) throws IOException {
    run(TraceOp.SET_TIMES, path, inside -> fs.setTimes(inside, modificationMillis, accessMillis));
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    run(TraceOp.SET_PERMISSION, path, inside -> fs.setPermission(inside, permission));
  }

  @Override
  public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.modifyAclEntries(inside, entries));
  }

  @Override
  public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.removeAclEntries(inside, entries));
  }

  @Override
  public void setAcl(Path path, List<AclEntry> entries) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.setAcl(inside, entries));
  }

  @Override
  public void removeDefaultAcl(Path path) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.removeDefaultAcl(inside));
  }

  @Override
  public void removeAcl(Path path) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.removeAcl(inside));
  }

  @Override
  public AclStatus getAclStatus(Path path) throws IOException {
    return call(TraceOp.GET_ACL, path, inside -> fs.getAclStatus(inside));
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value) throws IOException {
    run(TraceOp.SET_XATTR, path, inside -> fs.setXAttr(inside, name, value));
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    run(TraceOp.SET_XATTR, path, inside -> fs.setXAttr(inside, name, value, flags));
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    return call(TraceOp.GET_XATTR, path, inside -> fs.getXAttr(inside, name));
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    return call(TraceOp.GET_XATTR, path, inside -> fs.getXAttrs(inside));
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
    return call(TraceOp.GET_XATTR, path, inside -> fs.getXAttrs(inside, names));
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    return call(TraceOp.GET_XATTR, path, inside -> fs.listXAttrs(inside));
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    run(TraceOp.SET_XATTR, path, inside -> fs.removeXAttr(inside, name));
  }

  @Override
  public void satisfyStoragePolicy(Path path) throws IOException {
    run(TraceOp.SET_POLICY, path, inside -> fs.satisfyStoragePolicy(inside));
  }

  @Override
  public void setStoragePolicy(Path path, String name) throws IOException {
    run(TraceOp.SET_POLICY, path, inside -> fs.setStoragePolicy(inside, name));
  }

  @Override
  public void unsetStoragePolicy(Path path) throws IOException {
    run(TraceOp.SET_POLICY, path, inside -> fs.unsetStoragePolicy(inside));
  }

  @Override
  public BlockStoragePolicySpi getStoragePolicy(Path path) throws IOException {
    return call(TraceOp.GET_POLICY, path, inside -> fs.getStoragePolicy(inside));
  }

  @Override
  public Collection<? extends BlockStoragePolicySpi> getAllStoragePolicies() throws IOException {
    return tracer().call(TraceOp.GET_POLICY, null, fs::getAllStoragePolicies);
  }
}
