package io.vdfs.datanode.repair;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.HeldFileProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The groups of one file that the metadata ask nodes to hold. Confined to its user. */
public final class FileGroups {
  static final FileGroups NONE =
      new FileGroups(new FileKey(1, 1), HeldFileProto.getDefaultInstance(), List.of(), 0, 0);

  /** A node left out of a range of groups. */
  private record Range(NodeId node, int first, int end, int epoch) {
    boolean contains(int group) {
      return first <= group && Integer.compareUnsigned(group, end) < 0;
    }
  }

  private final FileKey key;
  private final HeldFileProto file;
  private final List<Range> ranges;
  private final int count;
  private final long groupSize;
  private int next;

  private FileGroups(
      FileKey key, HeldFileProto file, List<Range> ranges, int count, long groupSize) {
    this.key = key;
    this.file = file;
    this.ranges = ranges;
    this.count = count;
    this.groupSize = groupSize;
  }

  public static FileGroups of(HeldFileProto file, ClusterGeometry geometry) throws VdfsException {
    List<Range> ranges = new ArrayList<>();
    for (ExclusionProto range : file.getExclusionsList()) {
      ranges.add(
          new Range(
              WireIds.nodeId(range.getNode()),
              range.getFirstGroup(),
              range.getEndGroup(),
              range.getEpoch()));
    }
    return new FileGroups(
        WireIds.fileKey(file.getFile()),
        file,
        ranges,
        geometry.groupCount(file.getLength()),
        geometry.groupSize());
  }

  /** Whether it is being written. */
  public boolean isOpen() {
    return file.getOpen();
  }

  /** Whether the other one, which may be null, is the same file with the same bytes and copies. */
  public boolean isSameState(FileGroups other) {
    return other != null && file.equals(other.file);
  }

  /** Number of groups. */
  public int count() {
    return count;
  }

  boolean hasNext() {
    return next < count;
  }

  int next() {
    return next++;
  }

  public FileKey key() {
    return key;
  }

  public int replication() {
    return file.getReplication();
  }

  /** The epoch of its last writer. */
  public int writeEpoch() {
    return file.getWriteEpoch();
  }

  public long length(int group) {
    return Math.min(groupSize, file.getLength() - group * groupSize);
  }

  /** CRC32C of a group's bytes, as their writer sent them; 0: not known. */
  public int checksum(int group) {
    return group < file.getGroupChecksumsCount() ? file.getGroupChecksums(group) : 0;
  }

  public Set<NodeId> leftOut(int group) {
    return new HashSet<>(leftOutEpochs(group).keySet());
  }

  /** The nodes left out, each with the last write epoch that began without it; 0: only doubted. */
  Map<NodeId, Integer> leftOutEpochs(int group) {
    Map<NodeId, Integer> epochs = new HashMap<>();
    for (Range range : ranges) {
      if (range.contains(group)) {
        epochs.put(range.node(), range.epoch());
      }
    }
    return epochs;
  }
}
