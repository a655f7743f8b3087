package io.vdfs.it.fault;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Ends of Raft logs that a loss of power tears. The shutdown of a filesystem drops all that is not
 * forced, where a real disk has some sectors of it already, in any order: this puts some of them
 * back. The open logs are mapped when the power goes, so what the kernel had of them can be read
 * until their disks are mounted anew. Confined to one thread.
 */
final class TornLogs {
  private static final int SECTOR_BYTES = 512;
  private static final Pattern OPEN_LOG = Pattern.compile("log_inprogress_[0-9]+");

  private final Map<Path, MappedByteBuffer> mapped = new TreeMap<>();
  private final Map<Path, byte[]> written = new TreeMap<>();

  /** Looks for the open logs; right before the power goes. */
  static TornLogs map(Collection<LoopDisk> disks) throws IOException {
    TornLogs logs = new TornLogs();
    for (LoopDisk disk : disks) {
      for (Path file : open(disk.directory())) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
          logs.mapped.put(
              file, channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()).load());
        }
      }
    }
    return logs;
  }

  private static List<Path> open(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(file -> OPEN_LOG.matcher(file.getFileName().toString()).matches()).toList();
    } catch (UncheckedIOException e) {
      // the tree changes meanwhile
      return List.of();
    }
  }

  /** Keeps what was written, forced or not; when the power is away and no process runs. */
  void keep() {
    mapped.forEach(
        (file, bytes) -> {
          byte[] copy = new byte[bytes.capacity()];
          bytes.get(0, copy);
          written.put(file, copy);
          PlatformDependent.freeDirectBuffer(bytes);
        });
    mapped.clear();
  }

  /**
   * Writes some of the sectors that were lost, and not all; when the disks are mounted again.
   *
   * @return how many logs have some now
   */
  int tear(Random random) throws IOException {
    int torn = 0;
    for (Map.Entry<Path, byte[]> log : written.entrySet()) {
      if (Files.exists(log.getKey())) {
        torn += tear(log.getKey(), log.getValue(), random) ? 1 : 0;
      }
    }
    return torn;
  }

  private static boolean tear(Path file, byte[] before, Random random) throws IOException {
    byte[] after = Files.readAllBytes(file);
    int shared = Math.min(before.length, after.length);
    int from = 0;
    while (from < shared && before[from] == after[from]) {
      from++;
    }
    int end = shared;
    while (end > from && before[end - 1] == after[end - 1]) {
      end--;
    }
    int first = from / SECTOR_BYTES;
    int sectors = (end + SECTOR_BYTES - 1) / SECTOR_BYTES - first;
    if (from == end || sectors < 2) {
      return false;
    }
    int missing = random.nextInt(sectors);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (int sector = 0; sector < sectors; sector++) {
        int begin = (first + sector) * SECTOR_BYTES;
        int length = Math.min(SECTOR_BYTES, shared - begin);
        boolean reached = sector == (missing + 1) % sectors || random.nextBoolean();
        if (sector != missing && reached) {
          channel.write(ByteBuffer.wrap(before, begin, length), begin);
        }
      }
      channel.force(false);
    }
    return true;
  }
}
