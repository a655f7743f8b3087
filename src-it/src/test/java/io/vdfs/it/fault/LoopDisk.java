package io.vdfs.it.fault;

import io.vdfs.it.cluster.Await;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A disk of its own below a directory: an ext4 filesystem in a file, which can lose its power, die
 * and run full. It is mounted such that a renamed file whose bytes were not forced is empty after a
 * power cut. Needs root, and the commands {@code mkfs.ext4}, {@code mount} and {@code perl}.
 * Confined to one thread.
 */
final class LoopDisk implements AutoCloseable {
  /** Ends all access at once, and leaves what was not forced unwritten: EXT4_IOC_SHUTDOWN. */
  private static final String SHUT_DOWN =
      "foreach (@ARGV) { open(my $dir, '<', $_) or die \"$_: $!\"; my $how = pack('L', 2);"
          + " ioctl($dir, 0x8004587d, $how) or die \"$_: $!\"; }";

  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final String FILLER = "filler";

  private final Path image;
  private final Path directory;
  private boolean mounted;

  private LoopDisk(Path image, Path directory) {
    this.image = image;
    this.directory = directory;
  }

  /**
   * @param image to be made
   * @param directory to mount it on
   */
  static LoopDisk mount(Path image, Path directory, long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(bytes);
    }
    RootCommand.run("mkfs.ext4", "-q", "-F", "-m", "0", image.toString());
    LoopDisk disk = new LoopDisk(image, directory);
    disk.mount();
    return disk;
  }

  Path directory() {
    return directory;
  }

  private void mount() throws IOException {
    RootCommand.run("mount", "-o", "loop,noauto_da_alloc", image.toString(), directory.toString());
    mounted = true;
  }

  /** All of the disks fail from now on, and lose what was not forced. */
  static void cutPower(Collection<LoopDisk> disks) throws IOException {
    List<String> command = new ArrayList<>(List.of("perl", "-e", SHUT_DOWN));
    disks.forEach(disk -> command.add(disk.directory.toString()));
    RootCommand.run(command);
  }

  /** Mounts the disk anew, as after a power cut, when no process has files open there. */
  void remount() throws Exception {
    Await.until(
        "the end of all use of " + directory,
        LIMIT,
        () -> {
          try {
            RootCommand.run("umount", directory.toString());
            return true;
          } catch (IOException e) {
            return false;
          }
        });
    mounted = false;
    mount();
  }

  /** Lengths of all files, by their paths. */
  Map<Path, Long> lengths() throws IOException {
    Map<Path, Long> lengths = new TreeMap<>();
    try (Stream<Path> all = Files.walk(directory)) {
      all.filter(Files::isRegularFile).forEach(file -> lengths.put(file, length(file)));
    } catch (UncheckedIOException e) {
      // the tree changes meanwhile
      return lengths;
    }
    return lengths;
  }

  private static long length(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  /**
   * Takes all space but a little.
   *
   * @param left so many bytes are left
   */
  void fill(long left) throws IOException {
    ByteBuffer piece = ByteBuffer.allocateDirect(1 << 20);
    try (FileChannel filler =
        FileChannel.open(
            directory.resolve(FILLER), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      filler.position(filler.size());
      for (long free = free(); free > left; free = free()) {
        piece.clear().limit((int) Math.min(piece.capacity(), free - left));
        filler.write(piece);
      }
      filler.force(true);
    }
  }

  /** Gives the space back. */
  void giveBack() throws IOException {
    Files.delete(directory.resolve(FILLER));
  }

  long free() throws IOException {
    return directory.toFile().getUsableSpace();
  }

  @Override
  public void close() throws IOException {
    if (mounted) {
      RootCommand.run("umount", "-l", directory.toString());
      mounted = false;
    }
    Files.delete(image);
  }
}
