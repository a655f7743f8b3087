package io.vdfs.datanode.store.load;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.disk.LocalDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.group.StoredFile;
import io.vdfs.datanode.store.index.BlockIndexFactory;
import io.vdfs.datanode.store.index.ChronicleBlockIndex;
import io.vdfs.datanode.store.index.TalliedIndex;
import io.vdfs.datanode.store.status.FailedVolume;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreReport;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import io.vdfs.datanode.store.volume.Volume;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import io.vdfs.datanode.store.volume.VolumeIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens block stores: takes possession of the volumes, loads what they hold and starts their
 * threads. Stateless.
 */
public final class StoreOpener {
  private static final Logger LOG = LoggerFactory.getLogger(StoreOpener.class);

  private StoreOpener() {}

  /** As the method below, with buffers of the JVM's pool. */
  public static DiskBlockStore open(StoreConfig config) throws VdfsException {
    return open(config, BlockBuffers.NONE);
  }

  /**
   * Opens the store on the disks of this machine with its index off the heap.
   *
   * @param buffers for what is read
   * @throws VdfsException MISCONFIGURED if a directory cannot be used, NO_SPACE if there is none
   *     for the index
   */
  public static DiskBlockStore open(StoreConfig config, BlockBuffers buffers) throws VdfsException {
    StoreContext context =
        new StoreContext(config, new LocalDisk(), ThreadingMode.OWN_THREADS, buffers);
    BlockIndexFactory indexes =
        (directory, blocks) ->
            ChronicleBlockIndex.create(
                directory,
                config.geometry().chunksPerBlock(),
                blocks,
                () -> context.counters().increment(StoreCounter.INDEX_GROWTHS));
    return open(context, indexes);
  }

  /**
   * As {@link #open(StoreConfig, BlockBuffers)}, on other disks and with another index.
   *
   * @param context of this store alone
   */
  public static DiskBlockStore open(StoreContext context, BlockIndexFactory indexes)
      throws VdfsException {
    VolumeSet volumes = VolumeSet.open(context);
    boolean opened = false;
    try {
      DiskBlockStore store = loadWhatCanBe(context, volumes, indexes);
      volumes.serving().forEach(volume -> volume.start(context.threading()));
      logReport(context, store.report());
      volumes.serving().forEach(Volume::acceptsGroup);
      opened = true;
      return store;
    } finally {
      if (!opened) {
        volumes.close();
      }
    }
  }

  /** Begins anew without a volume that can't be read, as other blocks may count then. */
  private static DiskBlockStore loadWhatCanBe(
      StoreContext context, VolumeSet volumes, BlockIndexFactory indexes) throws VdfsException {
    Optional<DiskBlockStore> store = Optional.empty();
    while (store.isEmpty()) {
      try {
        store = Optional.of(load(context, volumes, indexes));
      } catch (StoreScan.VolumeException e) {
        volumes.dropOrFail(e.volume(), e.getMessage());
      }
    }
    return store.get();
  }

  private static DiskBlockStore load(
      StoreContext context, VolumeSet volumes, BlockIndexFactory indexes)
      throws VdfsException, StoreScan.VolumeException {
    StoreScan scan = new StoreScan(context, volumes.serving());
    List<StoreScan.Listing> listings = scan.list();
    TalliedIndex index =
        new TalliedIndex(
            new IndexPlace(context.config(), volumes)
                .create(indexes, listings.stream().mapToLong(StoreScan.Listing::slots).sum()),
            context.geometry().groupBlocks());
    boolean loaded = false;
    try {
      Map<FileKey, StoredFile> files = new ConcurrentHashMap<>();
      scan.load(listings, files, index);
      StoreReport report = scan.report(index.size(), volumes.failed(), volumes.unserved());
      loaded = true;
      return new DiskBlockStore(context, volumes.serving(), index, files, report);
    } finally {
      if (!loaded) {
        index.close();
      }
    }
  }

  private static void logReport(StoreContext context, StoreReport report) {
    LOG.info(
        "block store open: node={}, volumes={}, fresh={}, failed={}, files={}, blocks={},"
            + " rebuiltIndexes={}, recoveredBlocks={}",
        context.config().node(),
        context.config().volumes(),
        report.freshVolumes(),
        report.failedVolumes().stream().map(FailedVolume::directory).toList(),
        report.files(),
        report.blocks(),
        report.rebuiltIndexes(),
        report.recoveredBlocks());
    report.problems().forEach(problem -> LOG.warn("found at start: {}", problem));
  }

  /**
   * The node whose identity stands on the volumes, before any is opened.
   *
   * @return empty if all are new
   * @throws VdfsException MISCONFIGURED if they are of several nodes, or if none says whose it is
   *     and not all can be read
   */
  public static Optional<NodeId> nodeOf(List<Path> volumes) throws VdfsException {
    Optional<NodeId> node = Optional.empty();
    Optional<VdfsException> unreadable = Optional.empty();
    for (Path directory : volumes) {
      Optional<NodeId> found = Optional.empty();
      try {
        found = VolumeDirectory.identity(new LocalDisk(), directory).map(VolumeIdentity::node);
      } catch (VdfsException e) {
        unreadable = Optional.of(e);
      } catch (IOException e) {
        unreadable = Optional.of(VolumeDirectory.unusable(directory, e));
      }
      if (node.isPresent() && found.isPresent() && !node.equals(found)) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            ("data directories belong to different nodes: directory=%s, found node=%s, other"
                    + " directories' node=%s; configure the directories of one node")
                .formatted(directory, found.get(), node.get()));
      }
      node = found.isPresent() ? found : node;
    }
    if (node.isEmpty() && unreadable.isPresent()) {
      throw unreadable.get();
    }
    return node;
  }
}
