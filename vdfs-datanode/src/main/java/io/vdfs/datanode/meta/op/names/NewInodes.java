package io.vdfs.datanode.meta.op.names;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vdfs.common.model.InodeIds;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.state.CloseAttribute;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.MetaPath;
import io.vdfs.datanode.meta.state.ResolvedPath;
import io.vdfs.datanode.meta.state.access.Acl;
import java.util.zip.CRC32C;

/**
 * Makes inodes by HDFS's rules: the owner is the caller, the group that of the parent directory.
 *
 * <p>Partitions: a directory at most two names below the root gets one by the hash of its name; all
 * else lives in the partition of its parent.
 */
public final class NewInodes {
  private static final int SPREAD_DEPTH = 2;

  private final MetaContext context;
  private final Changes changes;

  public NewInodes(MetaContext context, Changes changes) {
    this.context = context;
    this.changes = changes;
  }

  /**
   * Makes the missing directories above the last component of {@code resolved}, which does not
   * exist, each with {@code mode}, but without sticky bit and open to its owner. A default ACL is
   * handed down from each to the next.
   *
   * @return the parent of the last component
   */
  public InodeRecord makeParents(ResolvedPath resolved, CreationMode mode) {
    InodeRecord parent = resolved.ancestor();
    changes.touch(parent);
    MetaPath path = resolved.path();
    CreationMode parentMode = mode.ofParent();
    for (int depth = resolved.ancestorDepth() + 1; depth < path.depth(); depth++) {
      parent = makeDirectory(parent, path.components().get(depth - 1), depth, parentMode);
    }
    return parent;
  }

  InodeRecord makeDirectory(InodeRecord parent, String name, int depth, CreationMode mode) {
    int partition = depth <= SPREAD_DEPTH ? partitionOf(name) : InodeIds.partition(parent.getId());
    InodeRecord.Builder directory =
        inode(parent, name, mode.masked()).setId(changes.newDirectoryId(partition));
    Acl.inherit(parent, directory, mode.unmasked());
    CloseAttribute.inherit(parent, directory);
    changes.put(directory.build());
    return directory.build();
  }

  /** An inode for a file; the caller puts it. */
  public InodeRecord file(InodeRecord parent, String name, CreationMode mode, FileRecord content) {
    InodeRecord.Builder file =
        inode(parent, name, mode.masked())
            .setId(changes.newFileId(InodeIds.partition(parent.getId())))
            .setAccessMillis(context.now())
            .setFile(content);
    Acl.inherit(parent, file, mode.unmasked());
    CloseAttribute.inherit(parent, file);
    return file.build();
  }

  private InodeRecord.Builder inode(InodeRecord parent, String name, int mode) {
    return InodeRecord.newBuilder()
        .setParentId(parent.getId())
        .setName(name)
        .setOwner(context.access().user())
        .setGroup(parent.getGroup())
        .setMode(mode)
        .setModificationMillis(context.now());
  }

  private static int partitionOf(String name) {
    CRC32C hash = new CRC32C();
    hash.update(name.getBytes(UTF_8));
    return InodeIds.partition(hash.getValue());
  }
}
