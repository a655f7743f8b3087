package io.vdfs.datanode.meta.state;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.access.Action;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The inodes and their names: one tree below the root, and detached trees that wait to be
 * reclaimed. Confined to the metadata loop.
 *
 * <p>An inode is the immutable record that made it; {@link #put} and {@link #remove}, called while
 * records are replayed, are the only ways to change anything.
 */
public final class Namespace {
  private final NavigableMap<Long, InodeRecord> inodes = new TreeMap<>();

  /** All inodes that have a name, as in {@link #inodes}; listing them asks that map for none. */
  private final NavigableMap<NameKey, InodeRecord> names = new TreeMap<>();

  private final NavigableSet<Long> detached = new TreeSet<>();
  private final NavigableSet<Long> open = new TreeSet<>();
  private final NavigableSet<Long> lacking = new TreeSet<>();
  private long lastFileNumber;
  private long lastDirectoryNumber;
  private long lastChangeSequence;
  private long losses;
  private long acceptedLosses;
  private int quotas;
  private long surplusBytes;

  public InodeRecord root() {
    return inodes.get(Inodes.ROOT);
  }

  /** Ids of the tops of detached trees, ascending. */
  public NavigableSet<Long> detached() {
    return Collections.unmodifiableNavigableSet(detached);
  }

  /** The inode {@code id}, which exists. */
  public InodeRecord inode(long id) {
    InodeRecord inode = inodes.get(id);
    if (inode == null) {
      throw new IllegalStateException("inode does not exist: id=" + id);
    }
    return inode;
  }

  /**
   * The file that a client knows by its key, if it still has a path.
   *
   * @throws VdfsException NOT_FOUND, or FILE_CHANGED if the file has other content by now
   */
  public InodeRecord file(FileKeyProto key) throws VdfsException {
    InodeRecord file = fileById(key.getFileId());
    if (file.getFile().getGeneration() != key.getGeneration()) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED,
          "file has other content: fileId=%s, generation=%s, current=%s"
              .formatted(
                  key.getFileId(),
                  Integer.toUnsignedString(key.getGeneration()),
                  file.getFile().getGeneration()));
    }
    return file;
  }

  /**
   * @throws VdfsException NOT_FOUND if there is no such file or it was deleted
   */
  public InodeRecord fileById(long id) throws VdfsException {
    InodeRecord inode = inodes.get(id);
    if (inode == null || Inodes.isDirectory(inode) || !isAttached(inode)) {
      throw new VdfsException(
          ErrorCode.NOT_FOUND,
          "no such file, it was deleted or replaced: fileId=" + Long.toUnsignedString(id));
    }
    return inode;
  }

  /** The inode {@code id}, if there is one. */
  public Optional<InodeRecord> find(long id) {
    return Optional.ofNullable(inodes.get(id));
  }

  /** Whether any directory, detached ones included, has a quota. */
  public boolean hasQuotas() {
    return quotas > 0;
  }

  /** The path of an inode as it is now; of one in a detached tree, from the top of that. */
  public String path(InodeRecord inode) {
    StringBuilder path = new StringBuilder();
    for (InodeRecord at = inode; at.getParentId() != 0; at = inode(at.getParentId())) {
      path.insert(0, "/" + at.getName());
    }
    return path.isEmpty() ? "/" : path.toString();
  }

  /** Whether a path leads from the root to {@code inode}. */
  public boolean isAttached(InodeRecord inode) {
    InodeRecord top = inode;
    while (top.getParentId() != 0) {
      top = inode(top.getParentId());
    }
    return top.getId() == Inodes.ROOT;
  }

  /**
   * Looks a path up, with the permission to traverse each directory on the way.
   *
   * @throws VdfsException NOT_A_DIRECTORY if a file is in the way, or PERMISSION_DENIED
   */
  public ResolvedPath resolve(MetaPath path, Access access) throws VdfsException {
    List<InodeRecord> found = new ArrayList<>(path.depth() + 1);
    InodeRecord current = root();
    found.add(current);
    for (String name : path.components()) {
      int depth = found.size() - 1;
      if (!Inodes.isDirectory(current)) {
        throw Refusals.notADirectory(path.prefix(depth));
      }
      if (!access.allows(current, Action.EXECUTE)) {
        throw access.denied(Action.EXECUTE, current, path.prefix(depth));
      }
      InodeRecord child = names.get(new NameKey(current.getId(), name));
      if (child == null) {
        break;
      }
      current = child;
      found.add(current);
    }
    return new ResolvedPath(path, found);
  }

  public boolean hasChildren(long directoryId) {
    return children(directoryId, "").hasNext();
  }

  /** The children of a directory whose names come after {@code after}, in name order. */
  public Iterator<InodeRecord> children(long directoryId, String after) {
    return Collections.unmodifiableNavigableMap(names)
        .subMap(new NameKey(directoryId, after), false, new NameKey(directoryId + 1, ""), false)
        .values()
        .iterator();
  }

  /** The files that are being written and still have a path, by id. */
  public void forEachOpenFile(Consumer<InodeRecord> consumer) {
    for (long id : open) {
      InodeRecord file = inode(id);
      if (isAttached(file)) {
        consumer.accept(file);
      }
    }
  }

  /** Ids of the files that leave nodes out of some of their groups, ascending. */
  public NavigableSet<Long> lacking() {
    return Collections.unmodifiableNavigableSet(lacking);
  }

  /** The inodes with ids above {@code id}, in the order of their ids. */
  public Iterator<InodeRecord> after(long id) {
    return Collections.unmodifiableNavigableMap(inodes).tailMap(id, false).values().iterator();
  }

  /** Sequence of the last change of what nodes should hold of any file, deleted ones included. */
  public long lastChangeSequence() {
    return lastChangeSequence;
  }

  public void raiseLastChangeSequence(long sequence) {
    lastChangeSequence = Math.max(lastChangeSequence, sequence);
  }

  /** How often metadata were lost and the cluster went on with the rest. */
  public long losses() {
    return losses;
  }

  /** How many of the losses, the first ones, operators have accepted. */
  public long acceptedLosses() {
    return acceptedLosses;
  }

  public void raiseLosses(long count, long accepted) {
    losses = Math.max(losses, count);
    acceptedLosses = Math.max(acceptedLosses, accepted);
  }

  /**
   * Whether files may exist of which nothing is known, as operators have not accepted all losses.
   */
  public boolean isLossOpen() {
    return acceptedLosses < losses;
  }

  /** The highest number that a file ever had. */
  public long lastFileNumber() {
    return lastFileNumber;
  }

  /** The highest number that a directory ever had. */
  public long lastDirectoryNumber() {
    return lastDirectoryNumber;
  }

  /**
   * Bytes of copies that count no longer, as replications were lowered, of all files; an upper
   * bound, as left-out nodes never had theirs.
   */
  public long surplusBytes() {
    return surplusBytes;
  }

  public void raiseLastFileNumber(long number) {
    lastFileNumber = Math.max(lastFileNumber, number);
  }

  public void raiseLastDirectoryNumber(long number) {
    lastDirectoryNumber = Math.max(lastDirectoryNumber, number);
  }

  /** Makes {@code inode} the state of its id; it may be new, changed, moved or detached. */
  public void put(InodeRecord inode) {
    long id = inode.getId();
    InodeRecord old = inodes.put(id, inode);
    if (old != null && old.getParentId() != 0 && !hasSameName(old, inode)) {
      names.remove(new NameKey(old.getParentId(), old.getName()));
    }
    if (inode.getParentId() != 0) {
      InodeRecord other = names.put(new NameKey(inode.getParentId(), inode.getName()), inode);
      if (other != null && other.getId() != id) {
        throw new IllegalStateException(
            "name is taken: parent=%s, name=%s, by=%s, for=%s"
                .formatted(inode.getParentId(), inode.getName(), other.getId(), id));
      }
    }
    quotas += (inode.hasQuota() ? 1 : 0) - (old != null && old.hasQuota() ? 1 : 0);
    surplusBytes +=
        inode.getFile().getSurplusBytes() - (old == null ? 0 : old.getFile().getSurplusBytes());
    setMember(detached, id, Inodes.isDetached(inode));
    setMember(open, id, Inodes.isOpen(inode));
    setMember(lacking, id, inode.getFile().getExclusionsCount() > 0);
    raiseLastChangeSequence(inode.getFile().getChangeSequence());
    if (Inodes.isDirectory(inode)) {
      raiseLastDirectoryNumber(InodeIds.number(id));
    } else {
      raiseLastFileNumber(InodeIds.number(id));
    }
  }

  private static boolean hasSameName(InodeRecord old, InodeRecord inode) {
    return old.getParentId() == inode.getParentId() && old.getName().equals(inode.getName());
  }

  /** Removes an inode without children. */
  public void remove(long id) {
    if (hasChildren(id)) {
      throw new IllegalStateException("directory is not empty: id=" + id);
    }
    InodeRecord old = inode(id);
    inodes.remove(id);
    if (old.getParentId() != 0) {
      names.remove(new NameKey(old.getParentId(), old.getName()));
    }
    quotas -= old.hasQuota() ? 1 : 0;
    surplusBytes -= old.getFile().getSurplusBytes();
    detached.remove(id);
    open.remove(id);
    lacking.remove(id);
  }

  private static void setMember(NavigableSet<Long> set, long id, boolean member) {
    if (member) {
      set.add(id);
    } else {
      set.remove(id);
    }
  }

  /** All inodes as they are now, in the order of their ids. */
  public List<InodeRecord> image() {
    return List.copyOf(inodes.values());
  }
}
