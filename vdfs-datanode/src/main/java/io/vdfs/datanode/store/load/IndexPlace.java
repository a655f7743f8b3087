package io.vdfs.datanode.store.load;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.index.BlockIndex;
import io.vdfs.datanode.store.index.BlockIndexFactory;
import io.vdfs.datanode.store.volume.Volume;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The place of the block index: the configured one, or, where that lies on a disk that fails, one
 * on a volume that serves. Used once, by one thread.
 */
final class IndexPlace {
  private static final Logger LOG = LoggerFactory.getLogger(IndexPlace.class);
  private static final String ON_VOLUME = "index";

  private final Path configured;
  private final VolumeSet volumes;

  IndexPlace(StoreConfig config, VolumeSet volumes) {
    this.configured = config.indexDirectory();
    this.volumes = volumes;
  }

  /**
   * @throws VdfsException NO_SPACE if the place has no room; else what the last place said
   */
  BlockIndex create(BlockIndexFactory indexes, long blocks) throws VdfsException {
    List<Path> places = places();
    for (Path place : places.subList(0, places.size() - 1)) {
      try {
        return indexes.create(place, blocks);
      } catch (VdfsException e) {
        if (e.code() == ErrorCode.NO_SPACE) {
          throw e;
        }
        LOG.error("the block index goes to another disk: not to={}", place, e);
      }
    }
    return indexes.create(places.get(places.size() - 1), blocks);
  }

  private List<Path> places() {
    List<Path> places = new ArrayList<>();
    if (volumes.failed().stream().noneMatch(volume -> isBelow(configured, volume.directory()))) {
      places.add(configured);
    }
    for (Volume volume : volumes.serving()) {
      places.add(volume.directory().resolve(VolumeDirectory.CACHE).resolve(ON_VOLUME));
    }
    return places;
  }

  private static boolean isBelow(Path path, Path directory) {
    return path.toAbsolutePath().startsWith(directory.toAbsolutePath());
  }
}
