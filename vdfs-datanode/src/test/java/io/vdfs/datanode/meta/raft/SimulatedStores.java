package io.vdfs.datanode.meta.raft;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.service.ReplicaProbe;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * What the nodes hold of files, by groups. Questions and answers may get lost. A file that was
 * removed anywhere takes no bytes any more.
 */
final class SimulatedStores implements ReplicaProbe {
  private record Place(NodeId node, long file, int group) {}

  private static final class Content {
    long length;
    int epoch;
  }

  private final SimulatedTime time;
  private final List<NodeId> nodes;
  private final Map<Place, Content> contents = new HashMap<>();
  private final Map<Long, Long> acknowledged = new HashMap<>();
  private final Set<Long> removed = new HashSet<>();

  SimulatedStores(SimulatedTime time, List<NodeId> nodes) {
    this.time = time;
    this.nodes = nodes;
  }

  /** Bytes of a file that its writer was told of. */
  long acknowledged(long file) {
    return acknowledged.getOrDefault(file, 0L);
  }

  long length(NodeId node, long file, int group) {
    Content content = contents.get(new Place(node, file, group));
    return content == null ? 0 : content.length;
  }

  boolean holdsAnythingOf(long file) {
    return nodes.stream().anyMatch(node -> contents.containsKey(new Place(node, file, 0)));
  }

  /**
   * Writes up to {@code length} to one group of the nodes, some of which get further than what is
   * acknowledged.
   *
   * @return false if a node refuses the epoch
   */
  boolean write(Set<NodeId> to, long file, int group, long length, int epoch, boolean more) {
    for (NodeId node : to) {
      if (removed.contains(file) || content(node, file, group).epoch > epoch) {
        return false;
      }
    }
    for (NodeId node : to) {
      Content content = content(node, file, group);
      content.epoch = epoch;
      long ahead = more ? time.random.nextInt(300) : 0;
      content.length = Math.min(MetadataHarness.GROUP, length + ahead);
    }
    acknowledged.merge(file, group * MetadataHarness.GROUP + length, Math::max);
    return true;
  }

  private Content content(NodeId node, long file, int group) {
    return contents.computeIfAbsent(new Place(node, file, group), place -> new Content());
  }

  /** A removed file is not made again. */
  private Content found(NodeId node, FileKey file, int group) {
    return removed.contains(file.fileId()) ? new Content() : content(node, file.fileId(), group);
  }

  void remove(NodeId node, FileKey file) {
    removed.add(file.fileId());
    for (int group = 0; contents.containsKey(new Place(node, file.fileId(), group)); group++) {
      contents.remove(new Place(node, file.fileId(), group));
    }
  }

  @Override
  public CompletableFuture<Extent> visibleLength(NodeId node, FileKey file, int group) {
    return answer(() -> extent(node, file, group));
  }

  @Override
  public CompletableFuture<Extent> fence(NodeId node, FileKey file, int group, int epoch) {
    return answer(
        () -> {
          Content content = found(node, file, group);
          if (removed.contains(file.fileId()) || content.epoch > epoch) {
            return null;
          }
          content.epoch = epoch;
          return extent(node, file, group);
        });
  }

  @Override
  public CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch) {
    return answer(
        () -> {
          Content content = found(node, file, group);
          if (content.epoch > epoch || content.length < length) {
            return null;
          }
          content.length = length;
          return extent(node, file, group);
        });
  }

  private Extent extent(NodeId node, FileKey file, int group) {
    Content content = found(node, file, group);
    return new Extent(content.length, content.epoch);
  }

  /** A null of the step is a refusal. */
  private CompletableFuture<Extent> answer(Supplier<Extent> step) {
    CompletableFuture<Extent> answer = new CompletableFuture<>();
    if (!time.chance(20)) {
      time.within(
          5,
          () -> {
            Extent extent = step.get();
            if (!time.chance(20)) {
              time.within(5, () -> complete(answer, extent));
            }
          });
    }
    return answer;
  }

  private static void complete(CompletableFuture<Extent> answer, Extent extent) {
    if (extent == null) {
      answer.completeExceptionally(new VdfsException(ErrorCode.FENCED, "newer epoch"));
    } else {
      answer.complete(extent);
    }
  }

  List<NodeId> nodes() {
    return nodes;
  }
}
