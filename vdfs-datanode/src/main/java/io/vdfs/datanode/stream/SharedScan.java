package io.vdfs.datanode.stream;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Records what the jobs on this node have taken and read recently, so that jobs that may take their
 * blocks in any order learn which ones cost no disk read: the blocks that are in memory or that
 * another job has been granted, oldest first, as these leave memory first; and else those where the
 * disk is reading. So a job that starts while another one is under way takes what that one has left
 * in memory, catches up with it, goes on together with it and begins at the front after the end.
 *
 * <p>Whether blocks are still in memory is asked of the machine for only a few of them, as older
 * ones are gone sooner. The oldest eighth comes last, as it may be gone before it is read. The
 * results are only hints; a wrong one costs only time. Thread-safe: the monitor guards all fields,
 * and is not held while the machine is asked.
 */
public final class SharedScan {
  private static final int REMEMBERED_BLOCKS = 4096;
  private static final int REMEMBERED_HEADS = 16;
  private static final int MOST_RANGES = 32;

  /** One in so many blocks in memory may be gone soon. */
  private static final int LEAVING = 8;

  /** A task that has not read what it was granted for so long counts as dead. */
  private static final long GRANT_NANOS = TimeUnit.MINUTES.toNanos(2);

  private static final long WANTED = Long.MAX_VALUE;
  private static final long READ = Long.MIN_VALUE;

  private final Memory memory;
  private final LongSupplier clock;
  private final Counters<StreamManagerCounter> counters;
  private final Map<Block, Long> expectedUntil = new LinkedHashMap<>();
  private final Map<FileKey, Long> heads = new LinkedHashMap<>();

  /** The memory of the machine, asked about single blocks. */
  @FunctionalInterface
  public interface Memory {
    boolean has(FileKey file, long block);
  }

  /** Consecutive blocks of a file. */
  public record Blocks(FileKey file, long first, int count) {}

  /** The next block to be read of a file. */
  public record Head(FileKey file, long block) {}

  private record Block(FileKey file, long number) implements Comparable<Block> {
    @Override
    public int compareTo(Block other) {
      int byFile = file.compareTo(other.file);
      return byFile != 0 ? byFile : Long.compare(number, other.number);
    }

    boolean follows(Block other) {
      return file.equals(other.file) && number == other.number + 1;
    }
  }

  /**
   * @param expected whether it is about to be read
   */
  private record Use(Block block, boolean expected) {}

  /**
   * @param clock in nanoseconds
   */
  public SharedScan(Memory memory, LongSupplier clock, Counters<StreamManagerCounter> counters) {
    this.memory = memory;
    this.clock = clock;
    this.counters = counters;
  }

  /**
   * A task on this node was granted blocks, and will read them.
   *
   * @param shared whether it got them as they were {@link #inMemory}
   */
  public void onGranted(Blocks run, boolean shared) {
    if (shared) {
      counters.increment(StreamManagerCounter.SHARED_GRANTS);
      counters.add(StreamManagerCounter.SHARED_GRANT_BLOCKS, run.count());
    }
    synchronized (this) {
      long until = clock.getAsLong() + GRANT_NANOS;
      for (long number = run.first(); number < run.first() + run.count(); number++) {
        Block block = new Block(run.file(), number);
        if (!shared) {
          // memory may have had it long ago
          expectedUntil.remove(block);
        }
        expectedUntil.putIfAbsent(block, until);
      }
      if (!shared) {
        heads.remove(run.file());
        heads.put(run.file(), run.first() + run.count());
      }
      trim(expectedUntil, REMEMBERED_BLOCKS);
      trim(heads, REMEMBERED_HEADS);
    }
  }

  /** A reader asked for bytes of a block. */
  void onAsked(FileKey file, long block) {
    use(new Block(file, block), WANTED);
  }

  /** Bytes of a block that were asked for are in memory. */
  void onRead(FileKey file, long block) {
    use(new Block(file, block), READ);
  }

  /** Bytes of a block that were asked for will not be read. */
  synchronized void onGivenUp(FileKey file, long block) {
    expectedUntil.remove(new Block(file, block));
  }

  private synchronized void use(Block block, long until) {
    expectedUntil.remove(block);
    expectedUntil.put(block, until);
    trim(expectedUntil, REMEMBERED_BLOCKS);
  }

  private static void trim(Map<?, ?> map, int most) {
    Iterator<?> oldest = map.keySet().iterator();
    for (int over = map.size() - most; over > 0; over--) {
      oldest.next();
      oldest.remove();
    }
  }

  /** Blocks that memory has or is about to have, best first. */
  public List<Blocks> inMemory() {
    List<Use> uses = uses();
    int oldest = oldestInMemory(uses);
    int leaving = (uses.size() - oldest) / LEAVING;
    List<Blocks> ranges = new ArrayList<>(ranges(uses.subList(oldest + leaving, uses.size())));
    List<Blocks> last = new ArrayList<>(ranges(uses.subList(oldest, oldest + leaving)));
    Collections.reverse(last);
    ranges.addAll(last);
    return ranges;
  }

  /** The blocks at which the disks go on in each file, the one that was granted last first. */
  public synchronized List<Head> heads() {
    List<Head> found = new ArrayList<>();
    heads.forEach((file, block) -> found.add(new Head(file, block)));
    Collections.reverse(found);
    return found;
  }

  private synchronized List<Use> uses() {
    long now = clock.getAsLong();
    List<Use> uses = new ArrayList<>(expectedUntil.size());
    expectedUntil.forEach((block, until) -> uses.add(new Use(block, until > now)));
    return uses;
  }

  /** By bisection, as the oldest have gone first. */
  private int oldestInMemory(List<Use> uses) {
    int low = 0;
    int high = uses.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      Use use = uses.get(middle);
      if (use.expected() || memory.has(use.block().file(), use.block().number())) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /** Puts together what lies together, the range with the oldest block first. */
  private static List<Blocks> ranges(List<Use> uses) {
    List<Block> sorted = uses.stream().map(Use::block).sorted().toList();
    Map<Block, Blocks> rangeOf = new LinkedHashMap<>();
    int from = 0;
    for (int to = 1; to <= sorted.size(); to++) {
      if (to == sorted.size() || !sorted.get(to).follows(sorted.get(to - 1))) {
        Block first = sorted.get(from);
        Blocks range = new Blocks(first.file(), first.number(), to - from);
        sorted.subList(from, to).forEach(block -> rangeOf.put(block, range));
        from = to;
      }
    }
    Set<Blocks> oldestFirst = new LinkedHashSet<>();
    uses.forEach(use -> oldestFirst.add(rangeOf.get(use.block())));
    Set<Blocks> fair = fair(oldestFirst, filesByLastUse(uses));
    return oldestFirst.stream().filter(fair::contains).toList();
  }

  /** The file that was used last comes first. */
  private static List<FileKey> filesByLastUse(List<Use> uses) {
    Set<FileKey> files = new LinkedHashSet<>();
    for (int index = uses.size() - 1; index >= 0; index--) {
      files.add(uses.get(index).block().file());
    }
    return List.copyOf(files);
  }

  /**
   * No more than {@value #MOST_RANGES} ranges: of each file, the last used first, the oldest
   * ranges, up to half of the room that is left, so that many files with few readers leave room for
   * the one that several are reading, and that one for others.
   */
  private static Set<Blocks> fair(Set<Blocks> ranges, List<FileKey> files) {
    Map<FileKey, List<Blocks>> rangesOf =
        ranges.stream().collect(Collectors.groupingBy(Blocks::file));
    Set<Blocks> chosen = new HashSet<>();
    for (FileKey file : files) {
      int room = MOST_RANGES - chosen.size();
      int most = ranges.size() > MOST_RANGES ? (room + 1) / 2 : room;
      rangesOf.get(file).stream().limit(most).forEach(chosen::add);
    }
    return chosen;
  }
}
