package io.vdfs.datanode.repair;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.OwnGroups;
import io.vdfs.datanode.repair.copy.WantedGroup;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The groups that the nodes hold, this one among them. Confined to the test's loop. */
public final class FakeNodes implements ReplicaProbe, OwnGroups {
  private record Place(NodeId node, GroupKey group) {}

  private static final class Content {
    byte[] bytes = new byte[0];
    final Map<Integer, Integer> epochs = new HashMap<>();
  }

  private final NodeId self;
  private final ClusterGeometry geometry;
  private final Map<Place, Content> contents = new HashMap<>();

  /** Groups of which no copy can be made here. */
  final Set<GroupKey> poisoned = new HashSet<>();

  /** Groups in the order in which their copies here were whole. */
  final List<GroupKey> copied = new ArrayList<>();

  /** Answers of sources that wait for the test, where they do. */
  final List<Runnable> held = new ArrayList<>();

  /** Groups on a suspect volume, until they are copied. */
  final Set<GroupKey> onSuspectVolume = new HashSet<>();

  Set<Path> suspect = Set.of();
  boolean hold;
  boolean full;
  int verifiedHere;
  long bytesCopied;

  public FakeNodes(NodeId self, ClusterGeometry geometry) {
    this.self = self;
    this.geometry = geometry;
  }

  public static GroupKey group(long file, int group) {
    return new GroupKey(FakeLeader.key(file), group);
  }

  /** Bytes that are the same on all nodes, except for those of another seed. */
  public void put(NodeId node, GroupKey group, int length, int epoch, int seed) {
    Content content = new Content();
    content.bytes = new byte[length];
    Arrays.fill(content.bytes, (byte) (group.file().fileId() * 31 + seed));
    for (int block = 0; block < geometry.blockCount(length); block++) {
      content.epochs.put(block, epoch);
    }
    contents.put(new Place(node, group), content);
  }

  private Content content(NodeId node, GroupKey group) {
    return contents.getOrDefault(new Place(node, group), new Content());
  }

  boolean isSame(NodeId one, NodeId other, GroupKey group) {
    return Arrays.equals(content(one, group).bytes, content(other, group).bytes);
  }

  @Override
  public CompletableFuture<VerifiedGroup> verify(
      NodeId node, FileKey file, int group, LeaseBound lease, List<Long> marks, Duration limit) {
    CompletableFuture<VerifiedGroup> answer = new CompletableFuture<>();
    Runnable step =
        () -> answer.complete(found(content(node, new GroupKey(file, group)), marks.get(0)));
    if (hold) {
      held.add(step);
    } else {
      step.run();
    }
    return answer;
  }

  private VerifiedGroup found(Content content, long mark) {
    List<VerifiedBlock> blocks = new ArrayList<>();
    for (int start = 0; start < content.bytes.length; start += geometry.blockSize()) {
      int length = Math.min(geometry.blockSize(), content.bytes.length - start);
      int inBlock = (int) Math.max(0, Math.min(length, mark - start));
      blocks.add(
          new VerifiedBlock(
              content.epochs.get(start / geometry.blockSize()),
              length,
              length,
              crc(content, start, length),
              Map.of(inBlock, crc(content, start, inBlock))));
    }
    return new VerifiedGroup(blocks);
  }

  private static int crc(Content content, int start, int length) {
    return Crc32c.of(ByteBuffer.wrap(content.bytes, start, length));
  }

  @Override
  public long length(GroupKey group) {
    return content(self, group).bytes.length;
  }

  @Override
  public boolean isOf(GroupKey group, long length, int epoch) {
    Content content = content(self, group);
    return content.bytes.length >= length
        && content.epochs.values().stream().allMatch(of -> of == epoch);
  }

  @Override
  public OptionalInt checksum(GroupKey group, long length) {
    Content content = content(self, group);
    return content.bytes.length < length
        ? OptionalInt.empty()
        : OptionalInt.of(crc(content, 0, (int) length));
  }

  /** CRC32C of so many bytes of a group as {@link #put} makes them with seed 0. */
  static int checksum(GroupKey group, int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) (group.file().fileId() * 31));
    return Crc32c.of(ByteBuffer.wrap(bytes));
  }

  @Override
  public void requireRoom(GroupKey group) throws VdfsException {
    if (full && length(group) == 0) {
      throw new VdfsException(ErrorCode.NO_SPACE, "planted");
    }
  }

  @Override
  public VerifiedGroup verify(GroupKey group, long mark) {
    verifiedHere++;
    return found(content(self, group), mark);
  }

  @Override
  public void copyBlock(WantedGroup wanted, int block, NodeId source, boolean primary)
      throws VdfsException {
    if (poisoned.contains(wanted.key())) {
      throw new VdfsException(ErrorCode.IO_ERROR, "planted");
    }
    Content there = content(source, wanted.key());
    Content here = contents.computeIfAbsent(new Place(self, wanted.key()), key -> new Content());
    int start = block * geometry.blockSize();
    int end = (int) Math.min(wanted.length(), start + (long) geometry.blockSize());
    if (here.bytes.length < end) {
      here.bytes = Arrays.copyOf(here.bytes, end);
    }
    System.arraycopy(there.bytes, start, here.bytes, start, end - start);
    here.epochs.put(block, wanted.writeEpoch());
    bytesCopied += end - start;
  }

  @Override
  public void cut(WantedGroup wanted) {
    Content here = content(self, wanted.key());
    here.bytes = Arrays.copyOf(here.bytes, (int) wanted.length());
    onSuspectVolume.remove(wanted.key());
    copied.add(wanted.key());
  }

  @Override
  public boolean isOnSuspectVolume(GroupKey group) {
    return onSuspectVolume.contains(group);
  }

  @Override
  public Set<Path> suspectVolumes() {
    return suspect;
  }

  @Override
  public Set<Path> fullVolumes() {
    return full ? Set.of(Path.of("/full")) : Set.of();
  }

  @Override
  public CompletableFuture<Extent> fence(
      NodeId node, FileKey file, int group, int epoch, LeaseBound lease) {
    throw new AssertionError("repair fences nobody: node=" + node);
  }

  @Override
  public CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch) {
    throw new AssertionError("repair changes no other node: node=" + node);
  }

  @Override
  public CompletableFuture<Extent> copy(
      NodeId node, FileKey file, int group, Copy copy, Duration limit) {
    throw new AssertionError("repair changes no other node: node=" + node);
  }
}
