package io.vdfs.datanode.meta.op.change;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.QuotaRecord;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.Namespace;
import io.vdfs.datanode.meta.state.Usage;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * The effect of one operation's changes on the quotas of the directories above them. Moving or
 * deleting a tree walks it where a quota counts it, as in HDFS; otherwise nothing is walked.
 * Confined to one operation.
 */
final class QuotaSettlement {
  private final Namespace namespace;
  private final Map<Long, Optional<InodeRecord>> changed;
  private final Map<Long, Usage> deltas = new TreeMap<>();

  /**
   * @param changed the new state of each inode that the operation changes; empty: removed
   */
  QuotaSettlement(Namespace namespace, Map<Long, Optional<InodeRecord>> changed) {
    this.namespace = namespace;
    this.changed = changed;
  }

  /**
   * The directories whose usage changes, with the new usage.
   *
   * @param enforced whether more than a quota allows is refused; less than before never is
   * @throws VdfsException QUOTA_EXCEEDED
   */
  List<InodeRecord> settle(boolean enforced) throws VdfsException {
    changed.forEach(this::count);
    List<InodeRecord> directories = new ArrayList<>();
    for (Map.Entry<Long, Usage> entry : deltas.entrySet()) {
      Optional<InodeRecord> directory = now(entry.getKey());
      if (directory.isPresent() && !entry.getValue().equals(Usage.NONE)) {
        directories.add(updated(directory.get(), entry.getValue(), enforced));
      }
    }
    return directories;
  }

  private void count(long id, Optional<InodeRecord> after) {
    Optional<InodeRecord> before = namespace.find(id);
    boolean moved =
        before.isPresent()
            && after.isPresent()
            && before.get().getParentId() != after.get().getParentId();
    if (moved && Inodes.isDirectory(after.get())) {
      countMovedTree(before.get(), after.get());
      return;
    }
    before.ifPresent(inode -> add(countedBy(inode, true), Usage.of(inode).negated()));
    after.ifPresent(inode -> add(countedBy(inode, false), Usage.of(inode)));
  }

  /** A directory with a quota of its own goes on counting itself. */
  private void countMovedTree(InodeRecord before, InodeRecord after) {
    Set<Long> from = countedBy(before, true);
    Set<Long> to = countedBy(after, false);
    if (!from.equals(to)) {
      Usage tree = Usage.ofTree(before, namespace);
      add(from, tree.negated());
      add(to, tree);
    }
  }

  private void add(Set<Long> directories, Usage usage) {
    directories.forEach(id -> deltas.merge(id, usage, Usage::plus));
  }

  /** The directories with a quota that count {@code inode}: itself and those above it. */
  private Set<Long> countedBy(InodeRecord inode, boolean before) {
    Set<Long> directories = new LinkedHashSet<>();
    Optional<InodeRecord> at = Optional.of(inode);
    while (at.isPresent()) {
      if (at.get().hasQuota()) {
        directories.add(at.get().getId());
      }
      long parent = at.get().getParentId();
      at = parent == 0 ? Optional.empty() : before ? namespace.find(parent) : now(parent);
    }
    return directories;
  }

  private Optional<InodeRecord> now(long id) {
    Optional<InodeRecord> after = changed.get(id);
    return after == null ? namespace.find(id) : after;
  }

  private InodeRecord updated(InodeRecord directory, Usage delta, boolean enforced)
      throws VdfsException {
    QuotaRecord quota = directory.getQuota();
    Usage usage = new Usage(quota.getInodes(), quota.getSpace()).plus(delta);
    if (enforced && delta.inodes() > 0 && quota.hasInodeLimit()) {
      require("inodes", usage.inodes(), quota.getInodeLimit(), directory);
    }
    if (enforced && delta.space() > 0 && quota.hasSpaceLimit()) {
      require("space", usage.space(), quota.getSpaceLimit(), directory);
    }
    return directory.toBuilder()
        .setQuota(quota.toBuilder().setInodes(usage.inodes()).setSpace(usage.space()))
        .build();
  }

  private void require(String what, long asked, long limit, InodeRecord directory)
      throws VdfsException {
    if (asked > limit) {
      throw new VdfsException(
          ErrorCode.QUOTA_EXCEEDED,
          "quota of a directory is exceeded: path=%s, of=%s, quota=%s, asked=%s"
              .formatted(namespace.path(namespace.inode(directory.getId())), what, limit, asked));
    }
  }
}
