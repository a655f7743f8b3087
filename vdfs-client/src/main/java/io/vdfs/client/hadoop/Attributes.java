package io.vdfs.client.hadoop;

import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.client.hadoop.values.Acls;
import io.vdfs.client.hadoop.values.XAttrNames;
import io.vdfs.client.names.AclChange;
import io.vdfs.client.names.AttributeChange;
import io.vdfs.client.names.ContentTotals;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What files and directories have besides their bytes: replication, ACLs, extended attributes,
 * quotas. Thread-safe.
 */
final class Attributes {
  private static final Logger LOG = LoggerFactory.getLogger(Attributes.class);

  private static final long NO_QUOTA = -1;
  private static final long UNCHANGED_QUOTA = Long.MAX_VALUE;

  /** HDFS' name for the policy of files that are not erasure-coded. */
  private static final String REPLICATED = "Replicated";

  private final Calls calls;
  private final PathContents contents;

  Attributes(Calls calls, PathContents contents) {
    this.calls = calls;
    this.contents = contents;
  }

  void change(Path path, AttributeChange change) throws IOException {
    calls.run(path, Intent.LOOKUP, (client, name) -> client.names().setAttributes(name, change));
  }

  /** False for a directory, and where nothing makes the copies that the file would need. */
  boolean setReplication(Path path, short replication) throws IOException {
    if (contents.info(path).isDirectory()) {
      return false;
    }
    return calls.change(
        path,
        Intent.LOOKUP,
        (client, name) -> {
          try {
            client.names().setAttributes(name, AttributeChange.replication(replication));
            return true;
          } catch (VdfsException e) {
            if (e.code() != ErrorCode.UNSUPPORTED) {
              throw e;
            }
            LOG.warn("Replication stays as it is: {}", e.getMessage());
            return false;
          }
        });
  }

  void checkAccess(Path path, FsAction mode) throws IOException {
    calls.read(
        path,
        Intent.LOOKUP,
        (client, name) -> {
          client.names().checkAccess(name, Acls.bits(mode));
          return null;
        });
  }

  void changeAcl(Path path, AclChange change, List<AclEntry> entries) throws IOException {
    calls.run(
        path,
        Intent.LOOKUP,
        (client, name) -> client.names().changeAcl(name, change, Acls.encode(entries)));
  }

  AclStatus acl(Path path) throws IOException {
    return Acls.status(
        calls.read(path, Intent.LOOKUP, (client, name) -> client.names().statusWithAcl(name)));
  }

  /**
   * @throws HadoopIllegalArgumentException if the flags allow nothing
   */
  void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    String attribute = XAttrNames.check(name);
    if (flags == null || flags.isEmpty()) {
      throw new HadoopIllegalArgumentException(
          "an attribute is set with CREATE, REPLACE or both: path=" + path + ", name=" + name);
    }
    byte[] bytes = value == null ? new byte[0] : value;
    boolean create = flags.contains(XAttrSetFlag.CREATE);
    boolean replace = flags.contains(XAttrSetFlag.REPLACE);
    calls.run(
        path,
        Intent.LOOKUP,
        (client, pathName) -> client.names().setXAttr(pathName, attribute, bytes, create, replace));
  }

  byte[] xattr(Path path, String name) throws IOException {
    String attribute = XAttrNames.check(name);
    return readXattrs(path, List.of(attribute)).get(attribute);
  }

  /** All that the caller may see. */
  Map<String, byte[]> xattrs(Path path) throws IOException {
    return readXattrs(path, List.of());
  }

  /** Those named, each of which must be there. */
  Map<String, byte[]> xattrs(Path path, List<String> names) throws IOException {
    return readXattrs(path, XAttrNames.check(names));
  }

  private Map<String, byte[]> readXattrs(Path path, List<String> names) throws IOException {
    return calls.read(path, Intent.LOOKUP, (client, name) -> client.names().xattrs(name, names));
  }

  void removeXAttr(Path path, String name) throws IOException {
    String attribute = XAttrNames.check(name);
    calls.run(
        path, Intent.LOOKUP, (client, pathName) -> client.names().removeXAttr(pathName, attribute));
  }

  ContentSummary summary(Path path) throws IOException {
    ContentTotals totals =
        calls.read(path, Intent.LOOKUP, (client, name) -> client.names().contentSummary(name));
    return new ContentSummary.Builder()
        .length(totals.length())
        .fileCount(totals.files())
        .directoryCount(totals.directories())
        .spaceConsumed(totals.spaceConsumed())
        .quota(totals.inodeLimit().orElse(NO_QUOTA))
        .spaceQuota(totals.spaceLimit().orElse(NO_QUOTA))
        .erasureCodingPolicy(totals.directories() > 0 ? "" : REPLICATED)
        .build();
  }

  QuotaUsage quotaUsage(Path path) throws IOException {
    ContentTotals totals =
        calls.read(path, Intent.LOOKUP, (client, name) -> client.names().quotaUsage(name));
    return new QuotaUsage.Builder()
        .fileAndDirectoryCount(totals.inodes())
        .spaceConsumed(totals.spaceConsumed())
        .quota(totals.inodeLimit().orElse(NO_QUOTA))
        .spaceQuota(totals.spaceLimit().orElse(NO_QUOTA))
        .build();
  }

  /** See {@link VdfsFileSystem#setQuota}. */
  void setQuota(Path path, long namespaceQuota, long storageSpaceQuota) throws IOException {
    OptionalLong inodes = quota(namespaceQuota);
    OptionalLong space = quota(storageSpaceQuota);
    if (inodes.isEmpty() && space.isEmpty()) {
      throw new IllegalArgumentException("no quota to set: path=" + path);
    }
    calls.run(path, Intent.LOOKUP, (client, name) -> client.names().setQuota(name, inodes, space));
  }

  private static OptionalLong quota(long quota) {
    return quota == UNCHANGED_QUOTA ? OptionalLong.empty() : OptionalLong.of(quota);
  }
}
