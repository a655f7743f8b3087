package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A disk in memory that can fail, fill up, rot and lose power. What was not forced survives a power
 * cut at random, sector by sector; names whose directory was not forced survive at random.
 * Thread-safe: the monitor guards everything.
 *
 * <p>Each write, force and name change is one operation; they are counted from 1, and a fault can
 * be planned for one of them.
 */
public final class SimulatedDisk implements Disk {
  /** Stands before any name that is used in a directory. */
  private static final String FIRST_NAME = "\u0001";

  private static final int SECTOR = 512;

  /** The fault at the planned operation. */
  public enum Fault {
    /** The operation fails and does nothing; later ones work. */
    ERROR,
    /**
     * As ERROR, for a force: the bytes or names that it should have forced are on no disk, and look
     * clean until they change again.
     */
    LOSE,
    /** The operation fails for lack of room. */
    FULL,
    /** The operation does nothing and ends in an {@link Error}, as one on mapped memory may. */
    DEFECT,
    /** A write takes half of its bytes. */
    SHORT,
    /** A write takes half of its bytes and fails. */
    TORN,
    /** The process dies before the operation: this and all later ones fail. */
    CRASH,
    /** The process dies in the middle of the operation. */
    CRASH_MIDWAY
  }

  /** The operation during which, or after which, the process is dead. */
  public static final class CrashedException extends IOException {
    private static final long serialVersionUID = 1L;

    CrashedException(String message) {
      super(message);
    }
  }

  /** Bytes at a position; without any, the end of the file there. */
  private static final class Write {
    private final long position;
    private final byte[] bytes;

    private Write(long position, byte[] bytes) {
      this.position = position;
      this.bytes = bytes;
    }
  }

  private static final class Inode {
    private byte[] current = new byte[0];
    private byte[] durable = new byte[0];
    private final List<Write> pending = new ArrayList<>();
    private final TreeSet<Long> unreadable = new TreeSet<>(); // sectors
  }

  private final NavigableMap<Path, Inode> names = new TreeMap<>();
  private final Map<Path, Inode> durableNames = new TreeMap<>();
  private final NavigableSet<Path> directories = new TreeSet<>();
  private final Set<Path> durableDirectories = new TreeSet<>();

  /** Names that are not durable, and that no force takes for changed. */
  private final Set<Path> lost = new TreeSet<>();

  private final Set<Path> locks = new TreeSet<>();
  private final Map<Integer, Fault> plan = new TreeMap<>();
  private final List<String> trace = new ArrayList<>();
  private final Set<Path> broken = new TreeSet<>();
  private final Map<Path, Inode> unmounted = new TreeMap<>();
  private final Set<Path> unmountedDirectories = new TreeSet<>();
  private int refused;
  private long usable = 1L << 40;
  private int operations;
  private int fired;
  private boolean crashed;
  private int life;

  /** Another disk with the same contents, of which all is durable, for a process of its own. */
  public synchronized SimulatedDisk copy() {
    SimulatedDisk copy = new SimulatedDisk();
    copy.usable = usable;
    copy.directories.addAll(directories);
    copy.durableDirectories.addAll(directories);
    Map<Inode, Inode> copies = new HashMap<>();
    for (Map.Entry<Path, Inode> name : names.entrySet()) {
      Inode inode = copies.computeIfAbsent(name.getValue(), SimulatedDisk::durably);
      copy.names.put(name.getKey(), inode);
      copy.durableNames.put(name.getKey(), inode);
    }
    return copy;
  }

  /** Another disk in just the same state, with what is not durable, for a process of its own. */
  public synchronized SimulatedDisk fork() {
    SimulatedDisk fork = new SimulatedDisk();
    fork.usable = usable;
    fork.directories.addAll(directories);
    fork.durableDirectories.addAll(durableDirectories);
    fork.lost.addAll(lost);
    Map<Inode, Inode> forks = new HashMap<>();
    names.forEach((name, inode) -> fork.names.put(name, fork(inode, forks)));
    durableNames.forEach((name, inode) -> fork.durableNames.put(name, fork(inode, forks)));
    return fork;
  }

  private static Inode fork(Inode inode, Map<Inode, Inode> forks) {
    return forks.computeIfAbsent(
        inode,
        original -> {
          Inode copy = durably(original);
          copy.durable = original.durable.clone();
          copy.pending.addAll(original.pending);
          copy.unreadable.addAll(original.unreadable);
          return copy;
        });
  }

  private static Inode durably(Inode inode) {
    Inode copy = new Inode();
    copy.current = inode.current.clone();
    copy.durable = inode.current.clone();
    return copy;
  }

  /** Plans a fault for the {@code number}th operation from the start of this disk. */
  public synchronized void plan(int number, Fault fault) {
    plan.put(number, fault);
  }

  /** Plans a fault for the operation after the next {@code skipped} ones. */
  public synchronized void planNext(int skipped, Fault fault) {
    plan.put(operations + skipped + 1, fault);
  }

  public synchronized int operations() {
    return operations;
  }

  /** Faults that were planned and have happened. */
  public synchronized int fired() {
    return fired;
  }

  /**
   * From now on every operation on a path at or below {@code directory} fails, queries included.
   */
  public synchronized void breakDown(Path directory) {
    broken.add(directory);
  }

  /** Ends what {@link #breakDown} began. */
  public synchronized void mend(Path directory) {
    broken.remove(directory);
  }

  /** How often an operation was refused because its path lies on what broke down. */
  public synchronized int refusedByBreakdown() {
    return refused;
  }

  /** Leaves an empty directory where files were, until {@link #mount}. */
  public synchronized void unmount(Path directory) {
    for (Map.Entry<Path, Inode> name : names.entrySet()) {
      if (name.getKey().startsWith(directory)) {
        unmounted.put(name.getKey(), name.getValue());
      }
    }
    for (Path path : directories) {
      if (path.startsWith(directory) && !path.equals(directory)) {
        unmountedDirectories.add(path);
      }
    }
    names.keySet().removeAll(unmounted.keySet());
    durableNames.keySet().removeAll(unmounted.keySet());
    directories.removeAll(unmountedDirectories);
    durableDirectories.removeAll(unmountedDirectories);
  }

  /** Brings back all that was unmounted, durably, over what lies there now. */
  public synchronized void mount() {
    names.putAll(unmounted);
    durableNames.putAll(unmounted);
    directories.addAll(unmountedDirectories);
    durableDirectories.addAll(unmountedDirectories);
    unmounted.clear();
    unmountedDirectories.clear();
  }

  private void checkWorks(Path path, String what) throws IOException {
    checkAlive(what);
    if (broken.stream().anyMatch(path::startsWith)) {
      refused++;
      throw new IOException("Input/output error: " + what);
    }
  }

  /** What the operations were, one line each. */
  public synchronized List<String> trace() {
    return List.copyOf(trace);
  }

  public synchronized boolean hasCrashed() {
    return crashed;
  }

  public synchronized void setUsable(long bytes) {
    usable = bytes;
  }

  /**
   * The process dies: open files and locks are gone, all that was written stays. The next one can
   * force names that were lost, as a disk that was checked and mounted anew has none.
   */
  public synchronized void kill() {
    crashed = false;
    plan.clear();
    locks.clear();
    lost.clear();
    life++;
  }

  /** The power fails: of what was not forced, {@code random} decides what survives. */
  public synchronized void cutPower(Random random) {
    kill();
    for (Inode inode : distinctInodes()) {
      settle(inode, random);
    }
    Map<Path, Inode> survivors = new TreeMap<>(durableNames);
    Set<Path> changed = new TreeSet<>(names.keySet());
    changed.addAll(durableNames.keySet());
    for (Path name : changed) {
      if (names.get(name) != durableNames.get(name) && random.nextBoolean()) {
        if (names.containsKey(name)) {
          survivors.put(name, names.get(name));
        } else {
          survivors.remove(name);
        }
      }
    }
    directories.removeIf(
        directory -> !durableDirectories.contains(directory) && random.nextBoolean());
    directories.removeIf(directory -> !hasParents(directory));
    survivors.keySet().removeIf(name -> !directories.contains(name.getParent()));
    names.clear();
    names.putAll(survivors);
    durableNames.clear();
    durableNames.putAll(survivors);
    durableDirectories.clear();
    durableDirectories.addAll(directories);
  }

  private boolean hasParents(Path directory) {
    Path parent = directory.getParent();
    return parent == null
        || parent.getParent() == null
        || (directories.contains(parent) && hasParents(parent));
  }

  private Set<Inode> distinctInodes() {
    Set<Inode> inodes = new LinkedHashSet<>(names.values());
    inodes.addAll(durableNames.values());
    return inodes;
  }

  private static void settle(Inode inode, Random random) {
    byte[] image = inode.durable;
    for (Write write : inode.pending) {
      if (write.bytes == null) {
        image = random.nextBoolean() ? cut(image, write.position) : image;
        continue;
      }
      int from = 0;
      while (from < write.bytes.length) {
        long at = write.position + from;
        int length = (int) Math.min(SECTOR - at % SECTOR, (long) write.bytes.length - from);
        if (random.nextInt(4) != 0) {
          image = put(image, at, write.bytes, from, length);
        }
        from += length;
      }
    }
    inode.current = image;
    inode.durable = image.clone();
    inode.pending.clear();
  }

  private static byte[] cut(byte[] image, long size) {
    return size < image.length ? Arrays.copyOf(image, (int) size) : image;
  }

  private static byte[] put(byte[] image, long at, byte[] bytes, int from, int length) {
    int end = Math.toIntExact(at + length);
    byte[] result = end > image.length ? Arrays.copyOf(image, end) : image;
    System.arraycopy(bytes, from, result, (int) at, length);
    return result;
  }

  /** The bytes of a file as a process sees them. */
  public synchronized byte[] bytes(Path file) {
    return names.get(file).current.clone();
  }

  /** Replaces the bytes of a file, durably. */
  public synchronized void setBytes(Path file, byte[] bytes) {
    Inode inode = names.get(file);
    inode.current = bytes.clone();
    inode.durable = bytes.clone();
    inode.pending.clear();
  }

  /** Flips one bit of a file, durably. */
  public synchronized void flip(Path file, long bit) {
    byte[] bytes = bytes(file);
    bytes[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
    setBytes(file, bytes);
  }

  /** From now on the sectors of these bytes cannot be read, until they are written anew. */
  public synchronized void spoil(Path file, long position, long length) {
    for (long sector = position / SECTOR; sector * SECTOR < position + length; sector++) {
      names.get(file).unreadable.add(sector);
    }
  }

  /** Ends what {@link #spoil} began. */
  public synchronized void heal(Path file) {
    names.get(file).unreadable.clear();
  }

  /** All files, sorted. */
  public synchronized List<Path> files() {
    return List.copyOf(names.keySet());
  }

  private Optional<Fault> begin(String what) throws IOException {
    if (crashed) {
      throw new CrashedException("process is dead: " + what);
    }
    operations++;
    trace.add(operations + " " + what);
    Optional<Fault> fault = Optional.ofNullable(plan.remove(operations));
    if (fault.isEmpty()) {
      return fault;
    }
    fired++;
    switch (fault.get()) {
      case ERROR -> throw new IOException("planned error: " + what);
      case FULL -> throw new DiskFullException("planned full disk: " + what);
      case DEFECT -> throw new InternalError("planned error of the process: " + what);
      case CRASH -> {
        crashed = true;
        throw new CrashedException("planned crash: " + what);
      }
      case LOSE, SHORT, TORN, CRASH_MIDWAY -> {
        return fault;
      }
    }
    return fault;
  }

  /** An operation that changes a name is atomic: a crash midway is one before or after it. */
  private void afterNameChange(Optional<Fault> fault, String what) throws IOException {
    if (fault.isPresent() && fault.get() == Fault.CRASH_MIDWAY) {
      crashed = true;
      throw new CrashedException("planned crash after: " + what);
    }
  }

  @Override
  public synchronized DiskFile open(Path file) throws IOException {
    checkWorks(file, "open " + file);
    Inode inode = names.get(file);
    if (inode == null) {
      throw new NoSuchFileException(file.toString());
    }
    return new OpenFile(file, inode, life);
  }

  private void checkAlive(String what) throws IOException {
    if (crashed) {
      throw new CrashedException("process is dead: " + what);
    }
  }

  @Override
  public synchronized DiskFile create(Path file) throws IOException {
    checkWorks(file, "create " + file);
    if (names.containsKey(file)) {
      throw new FileAlreadyExistsException(file.toString());
    }
    if (!directories.contains(file.getParent())) {
      throw new NoSuchFileException(file.getParent().toString());
    }
    Optional<Fault> fault = begin("create " + file);
    Inode inode = new Inode();
    names.put(file, inode);
    lost.remove(file);
    afterNameChange(fault, "create " + file);
    return new OpenFile(file, inode, life);
  }

  @Override
  public synchronized DiskFile createFilled(Path file, int size) throws IOException {
    DiskFile made = create(file);
    DiskTransfer.writeFully(made, ByteBuffer.allocate(size), 0);
    return made;
  }

  @Override
  public synchronized void link(Path name, Path file) throws IOException {
    checkWorks(name, "link " + name);
    Inode inode = names.get(file);
    if (inode == null) {
      throw new NoSuchFileException(file.toString());
    }
    if (names.containsKey(name)) {
      throw new FileAlreadyExistsException(name.toString());
    }
    Optional<Fault> fault = begin("link " + name + " to " + file);
    names.put(name, inode);
    lost.remove(name);
    afterNameChange(fault, "link " + name);
  }

  @Override
  public synchronized boolean isSame(Path one, Path other) throws IOException {
    checkWorks(one, "compare " + one);
    return names.get(one) == names.get(other);
  }

  @Override
  public synchronized boolean exists(Path path) throws IOException {
    checkWorks(path, "look for " + path);
    return names.containsKey(path) || directories.contains(path);
  }

  @Override
  public synchronized long size(Path file) throws IOException {
    checkWorks(file, "size of " + file);
    Inode inode = names.get(file);
    if (inode == null) {
      throw new NoSuchFileException(file.toString());
    }
    return inode.current.length;
  }

  @Override
  public synchronized void createDirectories(Path directory) throws IOException {
    checkWorks(directory, "create directories " + directory);
    for (Path at = directory; at != null; at = at.getParent()) {
      if (names.containsKey(at)) {
        throw new FileAlreadyExistsException(at.toString());
      }
      directories.add(at);
    }
  }

  @Override
  public synchronized List<String> list(Path directory) throws IOException {
    checkWorks(directory, "list " + directory);
    if (names.containsKey(directory)) {
      throw new NotDirectoryException(directory.toString());
    }
    Set<String> entries = new TreeSet<>();
    addChildren(directory, names.navigableKeySet(), entries);
    addChildren(directory, directories, entries);
    return List.copyOf(entries);
  }

  /** Of paths in their order, those below a directory stand together. */
  private static void addChildren(Path directory, NavigableSet<Path> paths, Set<String> entries) {
    for (Path path : paths.tailSet(directory.resolve(FIRST_NAME))) {
      if (!path.startsWith(directory)) {
        return;
      }
      if (directory.equals(path.getParent())) {
        entries.add(path.getFileName().toString());
      }
    }
  }

  @Override
  public synchronized void delete(Path file) throws IOException {
    checkWorks(file, "delete " + file);
    if (names.containsKey(file)) {
      Optional<Fault> fault = begin("delete " + file);
      names.remove(file);
      lost.remove(file);
      afterNameChange(fault, "delete " + file);
    }
  }

  @Override
  public synchronized void rename(Path from, Path to) throws IOException {
    checkWorks(from, "rename " + from);
    Optional<Fault> fault = begin("rename " + from + " to " + to);
    Inode inode = names.remove(from);
    if (inode == null) {
      throw new NoSuchFileException(from.toString());
    }
    names.put(to, inode);
    lost.removeAll(Set.of(from, to));
    afterNameChange(fault, "rename " + from);
  }

  @Override
  public synchronized void forceDirectory(Path directory) throws IOException {
    checkWorks(directory, "force directory " + directory);
    Optional<Fault> fault = begin("force directory " + directory);
    if (fault.isPresent() && fault.get() == Fault.LOSE) {
      lost.addAll(unforced(directory));
    }
    if (fault.isPresent() && fault.get() != Fault.SHORT) {
      crashed = fault.get() == Fault.CRASH_MIDWAY;
      throw crashed
          ? new CrashedException("planned crash in force: " + directory)
          : new IOException("planned error in force: " + directory);
    }
    for (Path path : unforced(directory)) {
      if (lost.contains(path)) {
        continue;
      }
      if (directories.contains(path)) {
        durableDirectories.add(path);
      } else if (names.containsKey(path)) {
        durableNames.put(path, names.get(path));
      } else {
        durableNames.remove(path);
      }
    }
  }

  /** What changed in a directory since it was forced. */
  private Set<Path> unforced(Path directory) {
    Set<Path> changed = new TreeSet<>(names.keySet());
    changed.addAll(durableNames.keySet());
    changed.removeIf(name -> names.get(name) == durableNames.get(name));
    changed.addAll(directories);
    changed.removeAll(durableDirectories);
    changed.removeIf(path -> !directory.equals(path.getParent()));
    return changed;
  }

  @Override
  public synchronized long capacity(Path path) throws IOException {
    checkWorks(path, "capacity " + path);
    return 1L << 41;
  }

  @Override
  public synchronized long usable(Path path) throws IOException {
    checkWorks(path, "usable " + path);
    return usable;
  }

  @Override
  public synchronized Optional<AutoCloseable> lock(Path file) throws IOException {
    checkWorks(file, "lock " + file);
    if (!locks.add(file)) {
      return Optional.empty();
    }
    int locked = life;
    return Optional.of(() -> unlock(file, locked));
  }

  private synchronized void unlock(Path file, int locked) {
    if (locked == life) {
      locks.remove(file);
    }
  }

  private final class OpenFile implements DiskFile {
    private final Path file;
    private final Inode inode;
    private final int opened;

    private OpenFile(Path file, Inode inode, int opened) {
      this.file = file;
      this.inode = inode;
      this.opened = opened;
    }

    private void check(String what) throws IOException {
      checkWorks(file, what + " " + file);
      if (opened != life) {
        throw new CrashedException("file of a dead process: " + file);
      }
    }

    @Override
    public int read(ByteBuffer target, long position) throws IOException {
      synchronized (SimulatedDisk.this) {
        check("read");
        if (position >= inode.current.length) {
          return -1;
        }
        long end = Math.min(position + target.remaining(), inode.current.length);
        Long spoilt = inode.unreadable.ceiling(position / SECTOR);
        if (spoilt != null && spoilt * SECTOR < end) {
          if (spoilt * SECTOR <= position) {
            throw new IOException("Input/output error: read " + file + " at " + position);
          }
          end = spoilt * SECTOR;
        }
        int length = (int) (end - position);
        target.put(inode.current, (int) position, length);
        return length;
      }
    }

    @Override
    public boolean isCached(long position, long length) {
      return false;
    }

    @Override
    public int write(ByteBuffer source, long position) throws IOException {
      synchronized (SimulatedDisk.this) {
        check("write");
        String what = "write " + file + " at " + position + " bytes " + source.remaining();
        Optional<Fault> fault = begin(what);
        boolean whole = fault.isEmpty() || fault.get() == Fault.LOSE;
        int half = source.remaining() / 2;
        boolean some = fault.isPresent() && fault.get() == Fault.SHORT;
        int length = whole ? source.remaining() : Math.max(some ? 1 : 0, half);
        byte[] bytes = new byte[length];
        source.get(bytes);
        inode.current = put(inode.current.clone(), position, bytes, 0, length);
        inode.pending.add(new Write(position, bytes));
        inode.unreadable.removeIf(
            sector -> sector * SECTOR >= position && (sector + 1) * SECTOR <= position + length);
        if (fault.isPresent() && fault.get() == Fault.TORN) {
          throw new IOException("planned torn write: " + what);
        }
        if (fault.isPresent() && fault.get() == Fault.CRASH_MIDWAY) {
          crashed = true;
          throw new CrashedException("planned crash in: " + what);
        }
        return length;
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (SimulatedDisk.this) {
        check("force");
        Optional<Fault> fault = begin("force " + file);
        if (fault.isPresent() && fault.get() == Fault.LOSE) {
          // as a page cache does: the bytes can be read, count as clean, and are on no disk
          inode.pending.clear();
          throw new IOException("planned loss in force: " + file);
        }
        if (fault.isPresent() && fault.get() == Fault.CRASH_MIDWAY) {
          crashed = true;
          throw new CrashedException("planned crash in force: " + file);
        }
        for (Write write : inode.pending) {
          byte[] bytes = write.bytes;
          inode.durable =
              bytes == null
                  ? cut(inode.durable, write.position)
                  : put(inode.durable, write.position, bytes, 0, bytes.length);
        }
        inode.pending.clear();
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      synchronized (SimulatedDisk.this) {
        check("truncate");
        Optional<Fault> fault = begin("truncate " + file + " to " + size);
        if (size < inode.current.length) {
          inode.current = Arrays.copyOf(inode.current, (int) size);
          inode.pending.add(new Write(size, null));
        }
        afterNameChange(fault, "truncate " + file);
      }
    }

    @Override
    public void deallocate(long position, long length) throws IOException {
      synchronized (SimulatedDisk.this) {
        check("deallocate");
        String what = "deallocate " + file + " at " + position + " bytes " + length;
        Optional<Fault> fault = begin(what);
        long end = Math.min(inode.current.length, position + length);
        if (position < end) {
          byte[] zeros = new byte[(int) (end - position)];
          inode.current = put(inode.current.clone(), position, zeros, 0, zeros.length);
          inode.pending.add(new Write(position, zeros));
        }
        afterNameChange(fault, what);
      }
    }

    @Override
    public long size() throws IOException {
      synchronized (SimulatedDisk.this) {
        check("size");
        return inode.current.length;
      }
    }

    @Override
    public void close() {
      // nothing is kept that a close would give back
    }

    @Override
    public String toString() {
      return file.toString();
    }
  }
}
