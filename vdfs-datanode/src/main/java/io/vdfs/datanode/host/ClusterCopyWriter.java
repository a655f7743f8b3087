package io.vdfs.datanode.host;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterListener;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this node's copy of the cluster's records as new as what ZooKeeper shows; it never becomes
 * older. Has a thread of its own, as disks may be slow.
 */
public final class ClusterCopyWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterCopyWriter.class);
  private static final Duration RETRY = Duration.ofSeconds(30);

  private final ClusterDirectory directory;
  private final ClusterCopyFile file;
  private final ThreadServiceLoop loop = new ThreadServiceLoop("vdfs-cluster-copy");
  private final ClusterListener listener = snapshot -> loop.execute(() -> keep(snapshot));
  // confined to the loop
  private Optional<ClusterCopy> kept;

  private ClusterCopyWriter(
      ClusterDirectory directory, ClusterCopyFile file, Optional<ClusterCopy> kept) {
    this.directory = directory;
    this.file = file;
    this.kept = kept;
  }

  /**
   * @param kept what the file holds
   */
  public static ClusterCopyWriter start(
      ClusterDirectory directory, ClusterCopyFile file, Optional<ClusterCopy> kept) {
    ClusterCopyWriter writer = new ClusterCopyWriter(directory, file, kept);
    directory.addListener(writer.listener);
    return writer;
  }

  private void keep(ClusterSnapshot snapshot) {
    Optional<ClusterCopy> shown = ClusterCopy.of(directory.properties(), snapshot);
    if (shown.isEmpty()) {
      return;
    }
    ClusterCopy newest = kept.map(copy -> copy.newest(shown.get())).orElse(shown.get());
    if (kept.filter(newest::equals).isPresent()) {
      return;
    }
    try {
      file.write(newest);
      kept = Optional.of(newest);
    } catch (IOException e) {
      LOG.warn(
          "Copy of the cluster not written, tried again in {} s: file={}, error={}",
          RETRY.toSeconds(),
          file.path(),
          e.toString());
      loop.schedule(RETRY, () -> keep(directory.snapshot()));
    }
  }

  @Override
  public void close() {
    directory.removeListener(listener);
    loop.close();
  }
}
