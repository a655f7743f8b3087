package io.vdfs.it.fault;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/** Flips single bits on the disks of nodes. Confined to one thread. */
final class DiskFlips {
  private static final int NAME_BYTES = 16;

  private final DaemonProcesses cluster;
  private final CombinedFileLayout layout;
  private final Random random;

  DiskFlips(DaemonProcesses cluster, ClusterGeometry geometry, Random random) {
    this.cluster = cluster;
    this.layout = CombinedFileLayout.of(geometry);
    this.random = random;
  }

  /**
   * One bit of each block, in one of its copies: the first copy of one block, the second of the
   * next and so on. Blocks are told apart by their first bytes, so these have to differ.
   *
   * @return how many
   */
  int inBlocks(List<Integer> nodes) throws IOException {
    Map<ByteBuffer, Integer> copies = new HashMap<>();
    int flips = 0;
    for (int node : nodes) {
      for (Path path : files(node, ".vcf")) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
          for (int slot = 0; slot < layout.slotCount(file.length()); slot++) {
            Optional<BlockFooter> footer = footer(file, slot);
            if (footer.isEmpty() || footer.get().length() < NAME_BYTES) {
              continue;
            }
            long data = layout.dataOffset(slot);
            int copy = copies.merge(ByteBuffer.wrap(read(file, data, NAME_BYTES)), 1, Integer::sum);
            if (copy - 1 == footer.get().block() % 3) {
              flip(file, data + random.nextInt(footer.get().length()));
              flips++;
            }
          }
        }
      }
    }
    return flips;
  }

  /**
   * One bit of each index and of each header page of a node that does not run.
   *
   * @return how many
   */
  int inIndexesAndHeaders(int node) throws IOException {
    int flips = 0;
    for (String suffix : List.of(".idx", ".vcf")) {
      for (Path path : files(node, suffix)) {
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
          long end = suffix.equals(".vcf") ? CombinedFileHeader.SIZE : Long.MAX_VALUE;
          int bytes = Math.toIntExact(Math.min(end, file.length()));
          if (bytes > 0) {
            flip(file, random.nextInt(bytes));
            flips++;
          }
        }
      }
    }
    return flips;
  }

  private List<Path> files(int node, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(cluster.dataDirectory(node))) {
      return files.filter(path -> path.toString().endsWith(suffix)).sorted().toList();
    }
  }

  private Optional<BlockFooter> footer(RandomAccessFile file, int slot) throws IOException {
    Optional<BlockFooter> best = Optional.empty();
    for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
      ByteBuffer bytes =
          ByteBuffer.wrap(read(file, layout.footerOffset(slot, copy), layout.footerSize()));
      Optional<CombinedFileHeader> header = BlockFooter.headerOf(bytes, layout);
      if (header.isPresent()) {
        BlockFooter footer = BlockFooter.decode(bytes, header.get());
        if (best.isEmpty() || best.get().sequence() < footer.sequence()) {
          best = Optional.of(footer);
        }
      }
    }
    return best;
  }

  /** Zeros behind the end of the file. */
  private static byte[] read(RandomAccessFile file, long at, int length) throws IOException {
    byte[] bytes = new byte[length];
    file.seek(at);
    file.readFully(bytes, 0, (int) Math.max(0, Math.min(length, file.length() - at)));
    return bytes;
  }

  private void flip(RandomAccessFile file, long at) throws IOException {
    file.seek(at);
    int old = file.read();
    file.seek(at);
    file.write(old ^ 1 << random.nextInt(8));
  }
}
