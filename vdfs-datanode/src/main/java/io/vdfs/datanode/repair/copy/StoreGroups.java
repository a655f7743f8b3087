package io.vdfs.datanode.repair.copy;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.status.VolumeUsage;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The groups in this node's block store. Thread-safe. */
public final class StoreGroups implements OwnGroups {
  private final BlockStore store;
  private final ClusterGeometry geometry;
  private final BlockFetch fetch;
  private final Crc32c.Combiner combiner;

  /** Copies a block of a file from another node into the store. Blocks. */
  @FunctionalInterface
  public interface BlockFetch {
    /**
     * @param block number within the file
     * @param length bytes of the block
     */
    void copy(NodeId source, FileKey file, long block, int length, BlockRole role, long epoch)
        throws VdfsException;
  }

  public StoreGroups(BlockStore store, ClusterGeometry geometry, BlockFetch fetch) {
    this.store = store;
    this.geometry = geometry;
    this.fetch = fetch;
    this.combiner = new Crc32c.Combiner(geometry.chunkSize());
  }

  @Override
  public long length(GroupKey group) {
    return store.group(group.file(), group.group()).length();
  }

  @Override
  public boolean isOf(GroupKey group, long length, int epoch) {
    long blocks = geometry.blockCount(length);
    for (int block = 0; block < blocks; block++) {
      Optional<BlockLocation> held = store.locate(group.file(), inFile(group, block));
      if (held.isEmpty()
          || held.get().length() < bytesOf(length, block)
          || held.get().writeEpoch() != Integer.toUnsignedLong(epoch)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public OptionalInt checksum(GroupKey group, long length) {
    int checksum = 0;
    long blocks = geometry.blockCount(length);
    for (int block = 0; block < blocks; block++) {
      int bytes = bytesOf(length, block);
      Optional<ChunkChecksums> chunks =
          store.locate(group.file(), inFile(group, block)).flatMap(held -> upTo(bytes, held));
      if (chunks.isEmpty()) {
        return OptionalInt.empty();
      }
      int ofBlock = chunks.get().combined(bytes, geometry.chunkSize(), combiner);
      checksum = Crc32c.combine(checksum, ofBlock, bytes);
    }
    return OptionalInt.of(checksum);
  }

  /** The checksums of the first bytes of a block; empty if it has none of just these bytes. */
  private Optional<ChunkChecksums> upTo(int bytes, BlockLocation held) {
    boolean wholeChunks = bytes == held.length() || bytes % geometry.chunkSize() == 0;
    return held.length() >= bytes && wholeChunks
        ? Optional.of(
            held.checksums().range(0, ChunkChecksums.countFor(bytes, geometry.chunkSize())))
        : Optional.empty();
  }

  private long inFile(GroupKey group, int block) {
    return (long) group.group() * geometry.groupBlocks() + block;
  }

  private int bytesOf(long length, int block) {
    return (int) Math.min(geometry.blockSize(), length - (long) block * geometry.blockSize());
  }

  @Override
  public void requireRoom(GroupKey group) throws VdfsException {
    if (length(group) == 0 && store.usage().stream().noneMatch(VolumeUsage::takesGroups)) {
      throw new VdfsException(
          ErrorCode.NO_SPACE,
          "no volume takes copies; free space there or lower vdfs.volume.reserve: volumes=%s"
              .formatted(fullVolumes()));
    }
  }

  @Override
  public VerifiedGroup verify(GroupKey group, long mark) throws VdfsException {
    return store.verify(
        group.file(), group.group(), LeaseBound.NONE, List.of(mark), ReadPace.IN_TURNS);
  }

  @Override
  public void copyBlock(WantedGroup wanted, int block, NodeId source, boolean primary)
      throws VdfsException {
    fetch.copy(
        source,
        wanted.key().file(),
        inFile(wanted.key(), block),
        bytesOf(wanted.length(), block),
        primary ? BlockRole.PRIMARY : BlockRole.REPLICA,
        copyEpoch(wanted));
  }

  @Override
  public void cut(WantedGroup wanted) throws VdfsException {
    store.truncateGroup(
        wanted.key().file(), wanted.key().group(), wanted.length(), copyEpoch(wanted));
  }

  /**
   * The file's write epoch; or the next one where the group's writer, when it closed, fenced its
   * epoch here. A copy that takes the next epoch is refused where that epoch has a writer, and
   * never cuts off that writer's bytes.
   */
  private long copyEpoch(WantedGroup wanted) {
    long epoch = Integer.toUnsignedLong(wanted.writeEpoch());
    long fence = store.group(wanted.key().file(), wanted.key().group()).fenceEpoch();
    return fence == epoch + 1 ? fence : epoch;
  }

  @Override
  public boolean isOnSuspectVolume(GroupKey group) {
    return store.isOnSuspectVolume(group.file(), group.group());
  }

  @Override
  public Set<Path> suspectVolumes() {
    return directories(volume -> volume.suspect().isPresent());
  }

  @Override
  public Set<Path> fullVolumes() {
    return directories(volume -> !volume.takesGroups());
  }

  private Set<Path> directories(Predicate<VolumeUsage> which) {
    return store.usage().stream()
        .filter(which)
        .map(VolumeUsage::directory)
        .collect(Collectors.toSet());
  }
}
