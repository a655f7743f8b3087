package io.vdfs.datanode.store.load;

import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.volume.BlankFiles;
import io.vdfs.datanode.store.volume.CombinedFileName;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.Volume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * At start, before combined files are listed: of the files that were made ahead, gives those in use
 * their own names, durably, and removes the others. Confined to the thread that scans the volume.
 */
final class BlankAdoption {
  private static final Pattern NAME = Pattern.compile("([0-9]{1,18})\\..*");
  private static final int LOOKED_AT = 1 << 20;

  private final StoreContext context;
  private final Disk disk;
  private final Volume volume;
  private final Path directory;
  private final List<String> problems = new ArrayList<>();
  private final List<Path> done = new ArrayList<>();
  private final Set<Path> leaves = new LinkedHashSet<>();

  BlankAdoption(StoreContext context, Volume volume) {
    this.context = context;
    this.disk = context.disk();
    this.volume = volume;
    this.directory = BlankFiles.directoryOf(volume.directory());
  }

  /**
   * @return what was found damaged
   */
  List<String> run() throws IOException {
    List<String> entries = disk.list(directory);
    Set<Long> numbers = new TreeSet<>();
    for (String entry : entries) {
      Matcher matcher = NAME.matcher(entry);
      if (matcher.matches()) {
        numbers.add(Long.parseLong(matcher.group(1)));
      }
      if (entry.endsWith(CombinedFileName.TEMPORARY_SUFFIX)) {
        done.add(directory.resolve(entry));
      }
    }
    for (long number : numbers) {
      volume.blanks().startAfter(number);
      adopt(
          directory.resolve(number + CombinedFileName.DATA_SUFFIX),
          directory.resolve(number + CombinedFileName.INDEX_SUFFIX));
    }
    for (Path leaf : leaves) {
      volume.forceNames(leaf);
    }
    for (Path name : done) {
      disk.delete(name);
    }
    if (!done.isEmpty()) {
      disk.forceDirectory(directory);
    }
    return problems;
  }

  private void adopt(Path data, Path index) throws IOException {
    if (!disk.exists(data)) {
      removeLater(index);
      return;
    }
    Optional<CombinedFileHeader> header = identify(data, index);
    if (header.isPresent()) {
      name(data, index, new CombinedFileName(header.get().key(), header.get().role()));
    } else if (isBlank(data)) {
      removeLater(data);
    } else {
      putAside(data);
    }
    removeLater(index);
  }

  private void removeLater(Path name) throws IOException {
    if (disk.exists(name)) {
      done.add(name);
    }
  }

  /**
   * The header of the combined file in a pair of files, by the first header or footer of this
   * volume in them.
   */
  private Optional<CombinedFileHeader> identify(Path data, Path index) throws IOException {
    List<CombinedFileHeader> found = new ArrayList<>();
    try (DiskFile file = disk.open(data)) {
      header(file, CombinedFileHeader.Kind.DATA).ifPresent(found::add);
      CombinedFileLayout layout = context.layout();
      for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
        ByteBuffer footer = ByteBuffer.allocate(layout.footerSize());
        DiskTransfer.readUpTo(file, footer, layout.footerOffset(0, copy));
        BlockFooter.headerOf(footer.flip(), layout).ifPresent(found::add);
      }
    }
    if (disk.exists(index)) {
      try (DiskFile file = disk.open(index)) {
        header(file, CombinedFileHeader.Kind.INDEX).ifPresent(found::add);
      }
    }
    return found.stream().filter(this::isOfThisVolume).findFirst();
  }

  private static Optional<CombinedFileHeader> header(DiskFile file, CombinedFileHeader.Kind kind)
      throws IOException {
    ByteBuffer page = ByteBuffer.allocate(CombinedFileHeader.SIZE);
    DiskTransfer.readUpTo(file, page, 0);
    return CombinedFileHeader.decode(kind, page.flip());
  }

  private boolean isOfThisVolume(CombinedFileHeader header) {
    return header.cluster().equals(context.config().cluster())
        && header.node().equals(context.config().node())
        && header.volume().equals(volume.uuid())
        && header.layout().equals(context.layout());
  }

  /** Gives a pair its own names, going on where a crash left off. */
  private void name(Path data, Path index, CombinedFileName name) throws IOException {
    Path own = name.data(volume.directory());
    Path ownIndex = name.index(volume.directory());
    boolean isNew = !disk.exists(own);
    if (isNew || disk.isSame(own, data)) {
      disk.createDirectories(own.getParent());
      if (disk.exists(index) && !(disk.exists(ownIndex) && disk.isSame(ownIndex, index))) {
        // what an earlier file of this name left, or a crash
        disk.delete(ownIndex);
        disk.link(ownIndex, index);
      }
      if (isNew) {
        disk.link(own, data);
      }
      leaves.add(own.getParent());
    }
    removeLater(data);
  }

  private boolean isBlank(Path data) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LOOKED_AT);
    try (DiskFile file = disk.open(data)) {
      DiskTransfer.readUpTo(file, bytes, 0);
    }
    bytes.flip();
    while (bytes.hasRemaining()) {
      if (bytes.get() != 0) {
        return false;
      }
    }
    return true;
  }

  private void putAside(Path data) throws IOException {
    Path aside = data.resolveSibling(data.getFileName() + CombinedFileName.DAMAGED_SUFFIX);
    disk.rename(data, aside);
    context.counters().increment(StoreCounter.PUT_ASIDE);
    problems.add("put aside: file=" + data + ", why=neither header nor footers say whose it is");
  }
}
