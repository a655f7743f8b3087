package io.vdfs.datanode.meta;

import io.vdfs.common.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The simplest model of a namespace: a map from whole paths, where moving a tree renames each path
 * in it. Each method answers with the error that is due, if any.
 */
public final class NamespaceOracle {
  /** A directory or file. */
  public static final class Entry {
    public final boolean directory;
    public long fileId;
    public long length;

    /** The holder that writes it; 0 if none does. */
    public int holder;

    public int epoch = 1;
    long modified;

    Entry(boolean directory, long modified) {
      this.directory = directory;
      this.modified = modified;
    }

    @Override
    public String toString() {
      return directory
          ? "d " + modified
          : "f " + fileId + " " + length + " " + (holder != 0) + " " + epoch + " " + modified;
    }
  }

  private final Map<String, Entry> entries = new TreeMap<>();
  private final Set<Long> freed = new TreeSet<>();

  public NamespaceOracle() {
    entries.put("/", new Entry(true, 0));
  }

  public Entry get(String path) {
    return entries.get(path);
  }

  public Map<String, Entry> entries() {
    return entries;
  }

  /** Ids of the files that are gone. */
  public Set<Long> freed() {
    return freed;
  }

  static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash == 0 ? "/" : path.substring(0, slash);
  }

  private static String below(String path) {
    return path.equals("/") ? "/" : path + "/";
  }

  List<String> children(String path) {
    List<String> names = new ArrayList<>();
    for (String each : entries.keySet()) {
      if (!each.equals("/") && parent(each).equals(path)) {
        names.add(each.substring(below(path).length()));
      }
    }
    return names;
  }

  private boolean hasFileAbove(String path) {
    for (String above = path; !above.equals("/"); ) {
      above = parent(above);
      Entry entry = entries.get(above);
      if (entry != null && !entry.directory) {
        return true;
      }
    }
    return false;
  }

  private void touchParent(String path, long now) {
    entries.get(parent(path)).modified = now;
  }

  private void makeMissing(String path, long now) {
    if (!entries.containsKey(path)) {
      makeMissing(parent(path), now);
      touchParent(path, now);
      entries.put(path, new Entry(true, now));
    }
  }

  public Optional<ErrorCode> status(String path) {
    if (hasFileAbove(path)) {
      return Optional.of(ErrorCode.NOT_A_DIRECTORY);
    }
    return entries.containsKey(path) ? Optional.empty() : Optional.of(ErrorCode.NOT_FOUND);
  }

  public Optional<ErrorCode> mkdirs(String path, boolean parents, long now) {
    if (hasFileAbove(path)) {
      return Optional.of(ErrorCode.NOT_A_DIRECTORY);
    }
    Entry old = entries.get(path);
    if (old != null) {
      return old.directory ? Optional.empty() : Optional.of(ErrorCode.ALREADY_EXISTS);
    }
    if (!parents && !entries.containsKey(parent(path))) {
      return Optional.of(ErrorCode.NOT_FOUND);
    }
    makeMissing(path, now);
    return Optional.empty();
  }

  public Optional<ErrorCode> create(
      String path, int holder, boolean overwrite, boolean parents, long now) {
    if (hasFileAbove(path)) {
      return Optional.of(ErrorCode.NOT_A_DIRECTORY);
    }
    Entry old = entries.get(path);
    if (old != null && old.directory) {
      return Optional.of(overwrite ? ErrorCode.IS_A_DIRECTORY : ErrorCode.ALREADY_EXISTS);
    }
    if (old != null && old.holder != 0 && !overwrite) {
      return Optional.of(ErrorCode.LEASE_CONFLICT);
    }
    if (old != null && !overwrite) {
      return Optional.of(ErrorCode.ALREADY_EXISTS);
    }
    if (!parents && !entries.containsKey(parent(path))) {
      return Optional.of(ErrorCode.NOT_FOUND);
    }
    if (old != null) {
      freed.add(old.fileId);
    }
    makeMissing(parent(path), now);
    touchParent(path, now);
    Entry file = new Entry(false, now);
    file.holder = holder;
    entries.put(path, file);
    return Optional.empty();
  }

  public Optional<ErrorCode> append(String path, int holder) {
    Optional<ErrorCode> missing = status(path);
    if (missing.isPresent()) {
      return missing;
    }
    Entry file = entries.get(path);
    if (file.directory) {
      return Optional.of(ErrorCode.IS_A_DIRECTORY);
    }
    if (file.holder != 0) {
      return Optional.of(ErrorCode.LEASE_CONFLICT);
    }
    file.holder = holder;
    file.epoch++;
    return Optional.empty();
  }

  public void complete(String path, long length, long now) {
    Entry file = entries.get(path);
    file.length = length;
    file.holder = 0;
    file.modified = now;
  }

  public Optional<ErrorCode> rename(String source, String target, boolean overwrite, long now) {
    if (hasFileAbove(source) || hasFileAbove(target)) {
      return Optional.of(ErrorCode.NOT_A_DIRECTORY);
    }
    Entry moved = entries.get(source);
    if (moved == null) {
      return Optional.of(ErrorCode.NOT_FOUND);
    }
    if (source.equals("/") || target.equals("/") || target.startsWith(below(source))) {
      return Optional.of(ErrorCode.INVALID_ARGUMENT);
    }
    if (source.equals(target)) {
      return Optional.of(ErrorCode.ALREADY_EXISTS);
    }
    Entry old = entries.get(target);
    if (old != null && moved.directory != old.directory) {
      return Optional.of(old.directory ? ErrorCode.IS_A_DIRECTORY : ErrorCode.NOT_A_DIRECTORY);
    }
    if (old != null && !overwrite) {
      return Optional.of(ErrorCode.ALREADY_EXISTS);
    }
    if (old != null && !children(target).isEmpty()) {
      return Optional.of(ErrorCode.DIRECTORY_NOT_EMPTY);
    }
    if (!entries.containsKey(parent(target))) {
      return Optional.of(ErrorCode.NOT_FOUND);
    }
    if (old != null && !old.directory) {
      freed.add(old.fileId);
    }
    touchParent(source, now);
    touchParent(target, now);
    for (String path : List.copyOf(entries.keySet())) {
      if (path.equals(source) || path.startsWith(below(source))) {
        entries.put(target + path.substring(source.length()), entries.remove(path));
      }
    }
    return Optional.empty();
  }

  public Optional<ErrorCode> delete(String path, boolean recursive, long now) {
    if (hasFileAbove(path)) {
      return Optional.of(ErrorCode.NOT_A_DIRECTORY);
    }
    if (!entries.containsKey(path)) {
      return Optional.empty();
    }
    if (!recursive && !children(path).isEmpty()) {
      return Optional.of(ErrorCode.DIRECTORY_NOT_EMPTY);
    }
    if (path.equals("/")) {
      return Optional.empty();
    }
    for (String each : List.copyOf(entries.keySet())) {
      if (each.equals(path) || each.startsWith(below(path))) {
        Entry gone = entries.remove(each);
        if (!gone.directory) {
          freed.add(gone.fileId);
        }
      }
    }
    touchParent(path, now);
    return Optional.empty();
  }
}
