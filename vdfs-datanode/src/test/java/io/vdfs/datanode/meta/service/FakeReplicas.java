package io.vdfs.datanode.meta.service;

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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Replicas of one file on several nodes, which can be dead, mute, damaged, or fail to cut. Bytes
 * are all the same unless a test writes others.
 */
public final class FakeReplicas implements ReplicaProbe {
  private record Place(NodeId node, int group) {}

  private static final class Content {
    private byte[] bytes = new byte[0];
    private int fence;

    /** The epoch of each block; 1 where nothing else was said. */
    private final Map<Integer, Integer> epochs = new HashMap<>();

    /** First byte that does not verify. */
    private long rot = Long.MAX_VALUE;
  }

  private final ClusterGeometry geometry;
  private final Map<Place, Content> contents = new HashMap<>();
  final Set<NodeId> dead = new HashSet<>();
  final Set<NodeId> mute = new HashSet<>();
  final Set<NodeId> uncuttable = new HashSet<>();
  final Set<NodeId> unreadable = new HashSet<>();
  final Set<NodeId> unfenceable = new HashSet<>();
  final Set<NodeId> full = new HashSet<>();
  final List<Runnable> held = new ArrayList<>();
  final List<Copy> copies = new ArrayList<>();

  /** Questions to each node for the first group. */
  final Map<NodeId, Integer> fences = new HashMap<>();

  /** Groups read back by each node. */
  final Map<NodeId, Integer> verified = new HashMap<>();

  public FakeReplicas(ClusterGeometry geometry) {
    this.geometry = geometry;
  }

  private Content content(NodeId node, int group) {
    return contents.computeIfAbsent(new Place(node, group), place -> new Content());
  }

  void hold(NodeId node, int group, long length) {
    Content content = content(node, group);
    content.bytes = Arrays.copyOf(content.bytes, (int) length);
    content.rot = Long.MAX_VALUE;
  }

  /** Lets a byte of a node's copy differ from what the others hold. */
  void differ(NodeId node, int group, int at, int epoch) {
    Content content = content(node, group);
    content.bytes[at] ^= 1;
    content.epochs.put(at / geometry.blockSize(), epoch);
  }

  /** Lets nothing verify from the chunk of {@code at} on. */
  void rot(NodeId node, int group, int at) {
    content(node, group).rot = (long) at - at % geometry.chunkSize();
  }

  /** Says that the blocks of a copy are of another epoch than 1. */
  void written(NodeId node, int group, int epoch) {
    for (int block = 0; block < geometry.groupBlocks(); block++) {
      content(node, group).epochs.put(block, epoch);
    }
  }

  void epoch(NodeId node, int group, int epoch) {
    content(node, group).fence = epoch;
  }

  long length(NodeId node, int group) {
    return content(node, group).bytes.length;
  }

  int epoch(NodeId node, int group) {
    return content(node, group).fence;
  }

  boolean isSound(NodeId node, int group) {
    return content(node, group).rot >= length(node, group);
  }

  boolean isSame(NodeId one, NodeId other, int group) {
    return Arrays.equals(content(one, group).bytes, content(other, group).bytes);
  }

  @Override
  public CompletableFuture<Extent> fence(
      NodeId node, FileKey file, int group, int epoch, LeaseBound lease) {
    return answer(
        node,
        () -> {
          if (unfenceable.contains(node)) {
            throw new FakeFailure(ErrorCode.NO_SPACE, "planted");
          }
          Content content = content(node, group);
          if (content.fence > epoch) {
            throw new FakeFailure(ErrorCode.FENCED, "newer epoch");
          }
          content.fence = epoch;
          if (group == 0) {
            fences.merge(node, 1, Integer::sum);
          }
          return extent(content, group, lease);
        });
  }

  private Extent extent(Content content, int group, LeaseBound lease) {
    long counted = look(content, group, lease, List.of()).claimed();
    return new Extent(counted, content.bytes.length, content.fence);
  }

  @Override
  public CompletableFuture<VerifiedGroup> verify(
      NodeId node, FileKey file, int group, LeaseBound lease, List<Long> marks, Duration limit) {
    return answer(
        node,
        () -> {
          if (unreadable.contains(node)) {
            throw new FakeFailure(ErrorCode.IO_ERROR, "planted");
          }
          verified.merge(node, 1, Integer::sum);
          return look(content(node, group), group, lease, marks);
        });
  }

  private VerifiedGroup look(Content content, int group, LeaseBound lease, List<Long> marks) {
    List<VerifiedBlock> blocks = new ArrayList<>();
    int blockSize = geometry.blockSize();
    for (int start = 0; start < content.bytes.length; start += blockSize) {
      int epoch = content.epochs.getOrDefault(start / blockSize, 1);
      int there = Math.min(blockSize, content.bytes.length - start);
      int counted = lease.counted(group * geometry.groupSize() + start, there, epoch);
      int good = (int) Math.max(0, Math.min(counted, content.rot - start));
      if (counted > 0) {
        Map<Integer, Integer> prefixes = new HashMap<>();
        for (long mark : marks) {
          if (mark > start && mark <= start + good) {
            prefixes.put((int) mark - start, crc(content, start, (int) mark - start));
          }
        }
        blocks.add(new VerifiedBlock(epoch, counted, good, crc(content, start, good), prefixes));
      }
      if (counted < blockSize) {
        break;
      }
    }
    return new VerifiedGroup(blocks);
  }

  private static int crc(Content content, int start, int length) {
    return Crc32c.of(ByteBuffer.wrap(content.bytes, start, length));
  }

  @Override
  public CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch) {
    return answer(
        node,
        () -> {
          if (uncuttable.contains(node)) {
            throw new FakeFailure(ErrorCode.IO_ERROR, "planted");
          }
          if (length > length(node, group)) {
            throw new AssertionError("cut to more than there is: length=" + length);
          }
          Content content = content(node, group);
          content.bytes = Arrays.copyOf(content.bytes, (int) length);
          return extent(content, group, LeaseBound.NONE);
        });
  }

  @Override
  public CompletableFuture<Extent> copy(
      NodeId node, FileKey file, int group, Copy copy, Duration limit) {
    return answer(
        node,
        () -> {
          if (full.contains(node) || dead.contains(copy.source())) {
            throw new FakeFailure(ErrorCode.NO_SPACE, "planted");
          }
          copies.add(copy);
          Content from = content(copy.source(), group);
          Content to = content(node, group);
          int first = copy.firstBlock() * geometry.blockSize();
          byte[] bytes = Arrays.copyOf(from.bytes, (int) copy.length());
          System.arraycopy(to.bytes, 0, bytes, 0, Math.min(first, to.bytes.length));
          to.bytes = bytes;
          to.rot = to.rot < first ? to.rot : Long.MAX_VALUE;
          for (int block = copy.firstBlock(); block < geometry.groupBlocks(); block++) {
            to.epochs.put(block, copy.epoch());
          }
          return extent(to, group, LeaseBound.NONE);
        });
  }

  private <T> CompletableFuture<T> answer(NodeId node, Supplier<T> step) {
    if (dead.contains(node)) {
      return CompletableFuture.failedFuture(new VdfsException(ErrorCode.UNAVAILABLE, "dead"));
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (mute.contains(node)) {
      held.add(() -> complete(answer, step));
    } else {
      complete(answer, step);
    }
    return answer;
  }

  private static <T> void complete(CompletableFuture<T> answer, Supplier<T> step) {
    try {
      answer.complete(step.get());
    } catch (FakeFailure e) {
      answer.completeExceptionally(new VdfsException(e.code, e.getMessage()));
    }
  }

  private static final class FakeFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    FakeFailure(ErrorCode code, String message) {
      super(message);
      this.code = code;
    }
  }
}
