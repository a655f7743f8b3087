package io.vdfs.datanode.store.load;

import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.Uninterruptibles;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.group.StoredFile;
import io.vdfs.datanode.store.index.BlockIndex;
import io.vdfs.datanode.store.status.FailedVolume;
import io.vdfs.datanode.store.status.StoreReport;
import io.vdfs.datanode.store.volume.BlankFiles;
import io.vdfs.datanode.store.volume.CombinedFileName;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import io.vdfs.datanode.store.volume.Volume;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Finds all combined files at start, all volumes in parallel unless the caller's thread does
 * everything: first their names and sizes, so that the index can be made large enough, then what
 * they hold. Used once, by one thread.
 */
final class StoreScan {
  private static final Pattern DIRECTORY = Pattern.compile("[0-9a-f]{2}");

  private final StoreContext context;
  private final Disk disk;
  private final List<Volume> volumes;
  private final List<String> problems = new ArrayList<>();
  private int files;
  private int rebuilt;
  private int recovered;

  StoreScan(StoreContext context, List<Volume> volumes) {
    this.context = context;
    this.disk = context.disk();
    this.volumes = volumes;
  }

  /**
   * The combined files of a volume.
   *
   * @param unnamed those that have the names of blank files
   */
  record Listing(
      Volume volume,
      List<CombinedFileName> names,
      Map<CombinedFileName, BlankFiles.Blank> unnamed,
      long slots) {
    private Optional<BlankFiles.Blank> blank(CombinedFileName name) {
      return Optional.ofNullable(unnamed.get(name));
    }
  }

  @FunctionalInterface
  private interface VolumeTask<T, R> {
    R run(T input) throws IOException;
  }

  /** A volume that can't be read. */
  static final class VolumeException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Volume volume;

    VolumeException(Volume volume, IOException cause) {
      super("cannot read volume: directory=" + volume.directory() + ", cause=" + cause, cause);
      this.volume = volume;
    }

    Volume volume() {
      return volume;
    }
  }

  /** Lists the combined files of all volumes. */
  List<Listing> list() throws VdfsException, VolumeException {
    return inParallel(volumes, volume -> volume, this::list);
  }

  private Listing list(Volume volume) throws IOException {
    BlankAdoption adoption = new BlankAdoption(context, volume);
    note(adoption.run());
    List<CombinedFileName> names = new ArrayList<>(adoption.unnamed().keySet());
    long slots = names.size();
    Path blocks = volume.directory().resolve(VolumeDirectory.BLOCKS);
    for (String outer : directories(blocks)) {
      for (String inner : directories(blocks.resolve(outer))) {
        slots += listLeaf(volume, blocks.resolve(outer).resolve(inner), names);
      }
    }
    return new Listing(volume, names, adoption.unnamed(), slots);
  }

  private List<String> directories(Path parent) throws IOException {
    return disk.list(parent).stream().filter(DIRECTORY.asMatchPredicate()).toList();
  }

  private long listLeaf(Volume volume, Path leaf, List<CombinedFileName> names) throws IOException {
    long slots = 0;
    List<String> entries = disk.list(leaf);
    Set<String> all = Set.copyOf(entries);
    for (String entry : entries) {
      Optional<CombinedFileName> name = CombinedFileName.parse(entry);
      if (name.isPresent() && name.get().data(volume.directory()).equals(leaf.resolve(entry))) {
        names.add(name.get());
        slots += slots(leaf.resolve(entry));
      } else if (isLeftOver(entry, all)) {
        disk.delete(leaf.resolve(entry));
      }
    }
    return slots;
  }

  /** Slots of a data file, as far as it can be told; loading it says what is wrong with it. */
  private long slots(Path data) {
    try {
      return context.layout().slotCount(disk.size(data));
    } catch (IOException | RuntimeException e) {
      return 0;
    }
  }

  /** Whether a crash left a file behind that means nothing alone. */
  private static boolean isLeftOver(String entry, Set<String> entries) {
    if (entry.endsWith(CombinedFileName.TEMPORARY_SUFFIX)) {
      return true;
    }
    if (!entry.endsWith(CombinedFileName.INDEX_SUFFIX)) {
      return false;
    }
    String base = entry.substring(0, entry.length() - CombinedFileName.INDEX_SUFFIX.length());
    return !entries.contains(base + CombinedFileName.DATA_SUFFIX);
  }

  /** Loads what was listed. */
  void load(List<Listing> listings, Map<FileKey, StoredFile> into, BlockIndex index)
      throws VdfsException, VolumeException {
    inParallel(
        listings,
        Listing::volume,
        listing -> {
          for (CombinedFileName name : listing.names()) {
            load(
                new CombinedFileLoader(context, listing.volume(), name, listing.blank(name)),
                into,
                index);
          }
          return listing;
        });
  }

  private void load(CombinedFileLoader loader, Map<FileKey, StoredFile> into, BlockIndex index)
      throws VdfsException {
    CombinedFileLoader.Loaded loaded = loader.load();
    note(loaded);
    if (loaded.combined().isEmpty()) {
      return;
    }
    CombinedFile combined = loaded.combined().get();
    StoredFile file =
        into.computeIfAbsent(combined.files().key(), key -> new StoredFile(key, context, index));
    file.addFound(combined, loaded.fences(), loaded.footers());
  }

  private synchronized void note(List<String> found) {
    problems.addAll(found);
  }

  private synchronized void note(CombinedFileLoader.Loaded loaded) {
    files += loaded.combined().isPresent() ? 1 : 0;
    rebuilt += loaded.rebuilt() ? 1 : 0;
    recovered += loaded.recovered();
    problems.addAll(loaded.problems());
  }

  synchronized StoreReport report(
      long blocks, List<FailedVolume> failed, Map<UUID, Path> unserved) {
    List<Path> fresh = volumes.stream().filter(Volume::isFresh).map(Volume::directory).toList();
    return new StoreReport(fresh, failed, unserved, files, blocks, rebuilt, recovered, problems);
  }

  private <T, R> List<R> inParallel(
      List<T> inputs, Function<T, Volume> volumeOf, VolumeTask<T, R> task)
      throws VdfsException, VolumeException {
    boolean alone = inputs.size() == 1 || context.threading() == ThreadingMode.CALLER;
    ExecutorService threads =
        alone
            ? MoreExecutors.newDirectExecutorService()
            : Executors.newFixedThreadPool(inputs.size());
    try {
      Map<T, Future<R>> futures = new LinkedHashMap<>();
      for (T input : inputs) {
        futures.put(input, threads.submit(() -> task.run(input)));
      }
      return results(futures, volumeOf);
    } finally {
      threads.shutdown();
    }
  }

  /** Waits for all tasks, also when one failed: none may go on when the scan has failed. */
  private static <T, R> List<R> results(Map<T, Future<R>> futures, Function<T, Volume> volumeOf)
      throws VdfsException, VolumeException {
    List<R> results = new ArrayList<>();
    Optional<VolumeException> unreadable = Optional.empty();
    Optional<VdfsException> failure = Optional.empty();
    for (Map.Entry<T, Future<R>> future : futures.entrySet()) {
      try {
        results.add(Uninterruptibles.getUninterruptibly(future.getValue()));
      } catch (ExecutionException e) {
        if (e.getCause() instanceof IOException cause && blamesTheDisk(cause)) {
          unreadable = Optional.of(new VolumeException(volumeOf.apply(future.getKey()), cause));
        } else {
          failure = Optional.of(failure(e.getCause()));
        }
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
    if (unreadable.isPresent()) {
      throw unreadable.get();
    }
    return results;
  }

  private static boolean blamesTheDisk(IOException cause) {
    return !(cause instanceof VdfsException known) || known.code() == ErrorCode.IO_ERROR;
  }

  private static VdfsException failure(Throwable cause) {
    return cause instanceof VdfsException known
        ? known
        : new VdfsException(ErrorCode.IO_ERROR, "cannot scan volumes: cause=" + cause, cause);
  }
}
