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
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * At start, before combined files are listed: of the files that were made ahead, removes those not
 * in use and then gives the others their own names, durably. Confined to the thread that scans the
 * volume.
 *
 * <p>A pair with which that fails keeps no other from it, and stays where it is: one that is in use
 * is served under the names of blank files, as {@link #unnamed} tells; one of which it cannot be
 * read whose it is waits for the next start. Its number is not used again. Where another file has
 * come to have its name meanwhile, a pair with a footer is put aside.
 */
final class BlankAdoption {
  private static final Pattern NAME = Pattern.compile("([0-9]{1,18})\\..*");
  private static final int LOOKED_AT = 1 << 20;

  private final StoreContext context;
  private final Disk disk;
  private final Volume volume;
  private final Path directory;
  private final List<String> problems = new ArrayList<>();
  private final List<Used> used = new ArrayList<>();
  private final List<Path> done = new ArrayList<>();
  private final Set<Path> leaves = new LinkedHashSet<>();
  private final Map<CombinedFileName, BlankFiles.Blank> unnamed = new HashMap<>();

  BlankAdoption(StoreContext context, Volume volume) {
    this.context = context;
    this.disk = context.disk();
    this.volume = volume;
    this.directory = BlankFiles.directoryOf(volume.directory());
  }

  /**
   * A pair in use.
   *
   * @param hasFooter whether a footer stands in it
   */
  private record Used(BlankFiles.Blank pair, CombinedFileName name, boolean hasFooter) {}

  /**
   * @return what was found damaged
   */
  List<String> run() throws IOException {
    for (long number : numbers()) {
      volume.blanks().startAfter(number);
      lookAt(
          directory.resolve(number + CombinedFileName.DATA_SUFFIX),
          directory.resolve(number + CombinedFileName.INDEX_SUFFIX));
    }
    // on a full disk the names need the room that this gives
    removeDone();
    for (Used one : used) {
      nameOrLeave(one);
    }
    for (Path leaf : leaves) {
      volume.forceNames(leaf);
    }
    removeDone();
    return problems;
  }

  /** The pairs that are in use and did not get their own names. */
  Map<CombinedFileName, BlankFiles.Blank> unnamed() {
    return unnamed;
  }

  private Set<Long> numbers() throws IOException {
    Set<Long> numbers = new TreeSet<>();
    for (String entry : disk.list(directory)) {
      Matcher matcher = NAME.matcher(entry);
      if (matcher.matches()) {
        numbers.add(Long.parseLong(matcher.group(1)));
      }
      if (entry.endsWith(CombinedFileName.TEMPORARY_SUFFIX)) {
        done.add(directory.resolve(entry));
      }
    }
    return numbers;
  }

  private void removeDone() throws IOException {
    for (Path name : done) {
      disk.delete(name);
    }
    if (!done.isEmpty()) {
      disk.forceDirectory(directory);
    }
    done.clear();
  }

  private void removeLater(Path name) throws IOException {
    if (disk.exists(name)) {
      done.add(name);
    }
  }

  private void lookAt(Path data, Path index) {
    try {
      if (disk.exists(data)) {
        try (DiskFile file = disk.open(data)) {
          sort(new BlankFiles.Blank(data, index, 0, file));
        }
      } else {
        removeLater(index);
      }
    } catch (IOException e) {
      leave(data, e);
    }
  }

  private void leave(Path data, IOException cause) {
    problems.add("blank file left as it is: file=" + data + ", cause=" + cause.getMessage());
  }

  /** Whether a pair is in use or not, or damaged. */
  private void sort(BlankFiles.Blank pair) throws IOException {
    Optional<Used> found = identify(pair);
    if (found.isPresent()) {
      used.add(found.get());
    } else if (isBlank(pair.open())) {
      removeLater(pair.data());
      removeLater(pair.index());
    } else {
      putAside(pair.data(), "neither header nor footers say whose it is");
      removeLater(pair.index());
    }
  }

  /**
   * By the first header or footer of this volume in a pair.
   *
   * @throws IOException if there is none in what can be read, and not all can be
   */
  private Optional<Used> identify(BlankFiles.Blank pair) throws IOException {
    List<IOException> unread = new ArrayList<>();
    List<CombinedFileHeader> inFooters = new ArrayList<>();
    CombinedFileLayout layout = context.layout();
    for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
      read(pair.open(), layout.footerOffset(0, copy), layout.footerSize(), unread)
          .flatMap(footer -> BlockFooter.headerOf(footer, layout))
          .ifPresent(inFooters::add);
    }
    List<CombinedFileHeader> found = new ArrayList<>();
    read(pair.open(), 0, CombinedFileHeader.SIZE, unread)
        .flatMap(page -> CombinedFileHeader.decode(CombinedFileHeader.Kind.DATA, page))
        .ifPresent(found::add);
    found.addAll(inFooters);
    if (disk.exists(pair.index())) {
      try (DiskFile file = disk.open(pair.index())) {
        read(file, 0, CombinedFileHeader.SIZE, unread)
            .flatMap(page -> CombinedFileHeader.decode(CombinedFileHeader.Kind.INDEX, page))
            .ifPresent(found::add);
      }
    }
    Optional<CombinedFileHeader> own = found.stream().filter(this::isOfThisVolume).findFirst();
    if (own.isEmpty() && !unread.isEmpty()) {
      throw unread.get(0);
    }
    return own.map(
        header ->
            new Used(
                pair,
                new CombinedFileName(header.key(), header.role()),
                inFooters.stream().anyMatch(this::isOfThisVolume)));
  }

  private static Optional<ByteBuffer> read(
      DiskFile file, long position, int size, List<IOException> unread) {
    ByteBuffer bytes = ByteBuffer.allocate(size);
    try {
      DiskTransfer.readUpTo(file, bytes, position);
      return Optional.of(bytes.flip());
    } catch (IOException e) {
      unread.add(e);
      return Optional.empty();
    }
  }

  private boolean isOfThisVolume(CombinedFileHeader header) {
    return header.cluster().equals(context.config().cluster())
        && header.node().equals(context.config().node())
        && header.volume().equals(volume.uuid())
        && header.layout().equals(context.layout());
  }

  private void nameOrLeave(Used one) throws IOException {
    Path data = one.pair().data();
    Path own = one.name().data(volume.directory());
    boolean hasOwn = disk.exists(own);
    boolean other = hasOwn && !disk.isSame(own, data);
    try {
      if (!other) {
        name(one, own, hasOwn);
      } else if (one.hasFooter()) {
        putAside(data, "another file has its name");
      }
      done.addAll(List.of(data, one.pair().index()));
    } catch (IOException e) {
      leave(data, e);
      if (!other) {
        unnamed.putIfAbsent(one.name(), one.pair());
      }
      if (hasOwn && !other) {
        // it would be found by either name
        disk.delete(own);
      }
    }
  }

  /** Gives a pair its own names, going on where a crash left off. */
  private void name(Used one, Path own, boolean hasOwn) throws IOException {
    disk.createDirectories(own.getParent());
    linkIndex(one);
    if (!hasOwn) {
      disk.link(own, one.pair().data());
    }
    leaves.add(own.getParent());
  }

  private void linkIndex(Used one) throws IOException {
    Path index = one.pair().index();
    Path own = one.name().index(volume.directory());
    if (disk.exists(index) && !(disk.exists(own) && disk.isSame(own, index))) {
      // what an earlier file of this name left, or a crash
      disk.delete(own);
      disk.link(own, index);
    }
  }

  private static boolean isBlank(DiskFile file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LOOKED_AT);
    DiskTransfer.readUpTo(file, bytes, 0);
    bytes.flip();
    while (bytes.hasRemaining()) {
      if (bytes.get() != 0) {
        return false;
      }
    }
    return true;
  }

  private void putAside(Path data, String why) throws IOException {
    Path aside = data.resolveSibling(data.getFileName() + CombinedFileName.DAMAGED_SUFFIX);
    disk.rename(data, aside);
    context.counters().increment(StoreCounter.PUT_ASIDE);
    problems.add("put aside: file=" + data + ", why=" + why);
  }
}
