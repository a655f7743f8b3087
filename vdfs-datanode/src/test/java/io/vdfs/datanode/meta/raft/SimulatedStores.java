package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The bytes of files that the nodes hold. Questions and answers may get lost. A file that was
 * removed anywhere takes no bytes any more.
 *
 * <p>Until {@link #calm} nodes are away for a while, and each file has one node on which anything
 * may happen to it: rot, a disk that goes back to an earlier state, a disk that is emptied.
 */
final class SimulatedStores implements ReplicaProbe {
  private static final int BLOCK = MetadataHarness.GEOMETRY.blockSize();
  private static final int CHUNK = MetadataHarness.GEOMETRY.chunkSize();
  private static final int GROUP = (int) MetadataHarness.GROUP;

  private record Place(NodeId node, long file, int group) {}

  /** A copy of a group. */
  private static final class Content {
    private final byte[] bytes = new byte[GROUP];

    /** What the writers sent, hence what the checksums are of. */
    private final byte[] sent = new byte[GROUP];

    private final int[] epochs = new int[GROUP / BLOCK];
    private int length;
    private int fence;

    boolean isSound(int from, int to) {
      return Arrays.equals(bytes, from, to, sent, from, to);
    }
  }

  private final SimulatedTime time;
  private final List<NodeId> nodes;
  private final Map<Place, Content> contents = new HashMap<>();
  private final Map<Long, Long> acknowledged = new HashMap<>();
  private final Set<Long> removed = new HashSet<>();
  private final Set<NodeId> away = new HashSet<>();

  /** Of each file the lease that wrote the bytes from a position on, by its first epoch. */
  private final Map<Long, NavigableMap<Long, Integer>> leases = new HashMap<>();

  private boolean calm;
  private int harmed;
  private int copied;
  private int staleSeen;

  SimulatedStores(SimulatedTime time, List<NodeId> nodes) {
    this.time = time;
    this.nodes = nodes;
    time.within(2_000, this::leave);
    time.within(500, this::harm);
  }

  /** From now on all nodes are there, and nothing happens to their bytes. */
  void calm() {
    calm = true;
    away.clear();
  }

  /** How often a copy came to harm. */
  int harmed() {
    return harmed;
  }

  /** Groups that nodes copied from others. */
  int copied() {
    return copied;
  }

  /** Copies with bytes of an earlier lease behind the start of the present one, as readers came. */
  int staleSeen() {
    return staleSeen;
  }

  private void leave() {
    if (calm) {
      return;
    }
    NodeId node = nodes.get(time.random.nextInt(nodes.size()));
    away.add(node);
    time.within(3_000, () -> away.remove(node));
    time.within(2_500, this::leave);
  }

  private void harm() {
    if (calm) {
      return;
    }
    List<Place> places =
        contents.keySet().stream()
            .filter(place -> place.node().equals(unlucky(place.file())))
            .filter(place -> contents.get(place).length > 0)
            .sorted(Comparator.comparingLong(Place::file).thenComparingInt(Place::group))
            .toList();
    if (!places.isEmpty()) {
      Place place = places.get(places.size() - 1 - time.random.nextInt(Math.min(6, places.size())));
      harm(place, contents.get(place));
      harmed++;
    }
    time.within(400, this::harm);
  }

  private void harm(Place place, Content content) {
    switch (time.random.nextInt(3)) {
      case 0 -> content.bytes[time.random.nextInt(content.length)] ^= 0x20;
      case 1 -> {
        content.length = time.random.nextInt(content.length);
        content.fence = 0;
      }
      default -> contents.remove(place);
    }
  }

  private NodeId unlucky(long file) {
    return nodes.get((int) ((file >>> 8) % nodes.size()));
  }

  /** Bytes of a file that its writer was told of. */
  long acknowledged(long file) {
    return acknowledged.getOrDefault(file, 0L);
  }

  boolean holdsAnythingOf(long file) {
    return nodes.stream().anyMatch(node -> contents.containsKey(new Place(node, file, 0)));
  }

  /**
   * Writes up to {@code length} to one group of the nodes, some of which get further than what is
   * acknowledged. Some of them may not be reached: then nothing is acknowledged.
   *
   * @return false if a node refuses the epoch or is not reached
   */
  boolean write(Set<NodeId> to, StatusProto file, int group, long length, boolean more) {
    long id = file.getInodeId();
    int epoch = file.getWriteEpoch();
    for (NodeId node : to) {
      if (removed.contains(id) || content(node, id, group).fence > epoch) {
        return false;
      }
    }
    leases
        .computeIfAbsent(id, key -> new TreeMap<>())
        .put(file.getLeaseStartLength(), file.getLeaseFirstEpoch());
    boolean cutOff = !calm && time.chance(12);
    boolean all = true;
    for (NodeId node : to) {
      if (away.contains(node) || (cutOff && time.chance(2))) {
        all = false;
      } else {
        int ahead = more ? time.random.nextInt(300) : 0;
        put(content(node, id, group), file, group, (int) Math.min(GROUP, length + ahead));
      }
    }
    if (all) {
      acknowledged.merge(id, group * MetadataHarness.GROUP + length, Math::max);
    }
    return all;
  }

  /** As a store does it: cuts what an earlier lease left, then adds bytes. */
  private void put(Content content, StatusProto file, int group, int length) {
    content.fence = file.getWriteEpoch();
    content.length = counted(content, group, bound(file));
    int from = content.length;
    for (int at = from; at < length; at++) {
      byte sent = byteOf(file.getInodeId(), group * MetadataHarness.GROUP + at);
      content.bytes[at] = sent;
      content.sent[at] = sent;
      content.epochs[at / BLOCK] = file.getWriteEpoch();
    }
    content.length = Math.max(from, length);
  }

  private static LeaseBound bound(StatusProto file) {
    return new LeaseBound(file.getLeaseStartLength(), file.getLeaseFirstEpoch());
  }

  /** The byte that the file has there, if it is so long. */
  private byte byteOf(long file, long position) {
    int lease = leases.get(file).floorEntry(position).getValue();
    long mixed = (file * 31 + lease) * 0x9E3779B97F4A7C15L + position * 0xBF58476D1CE4E5B9L;
    return (byte) (mixed >>> 56);
  }

  private static int counted(Content content, int group, LeaseBound lease) {
    int counted = 0;
    for (int block = 0; block < content.epochs.length; block++) {
      int there = Math.max(0, Math.min(BLOCK, content.length - block * BLOCK));
      long start = group * MetadataHarness.GROUP + (long) block * BLOCK;
      int good = lease.counted(start, there, content.epochs[block]);
      counted += good;
      if (good < BLOCK) {
        break;
      }
    }
    return counted;
  }

  /**
   * Reads a file from every node that readers may ask: where its bytes verify they must be the
   * file's, as far as readers are told that they are in it.
   */
  void checkReaders(StatusProto file) {
    long id = file.getInodeId();
    if (!leases.containsKey(id) || removed.contains(id)) {
      return;
    }
    int last = MetadataHarness.GEOMETRY.groupAt(Math.max(file.getLength(), acknowledged(id)));
    for (int group = 0; group <= last; group++) {
      for (NodeId node : nodes) {
        Content content = contents.get(new Place(node, id, group));
        if (content != null && !isExcluded(file, node, group)) {
          checkReader(file, group, node, content);
        }
      }
    }
  }

  private void checkReader(StatusProto file, int group, NodeId node, Content content) {
    long start = group * MetadataHarness.GROUP;
    int visible =
        file.getUnderConstruction()
            ? counted(content, group, bound(file))
            : (int) Math.max(0, Math.min(content.length, file.getLength() - start));
    if (file.getUnderConstruction() && visible < content.length) {
      staleSeen++;
    }
    for (int at = 0; at < visible; at++) {
      int chunk = at - at % CHUNK;
      if (!content.isSound(chunk, Math.min(content.length, chunk + CHUNK))) {
        return;
      }
      int position = at;
      assertEquals(
          byteOf(file.getInodeId(), start + at),
          content.bytes[at],
          () ->
              "a reader gets bytes that are not in the file: node="
                  + node
                  + ", at="
                  + (start + position)
                  + ", visible="
                  + (start + visible)
                  + ": "
                  + file);
    }
  }

  /** Nodes that count and hold a group up to {@code length}, with the right bytes. */
  long goodCopies(StatusProto file, int group, long length) {
    return nodes.stream()
        .filter(node -> !isExcluded(file, node, group))
        .map(node -> contents.get(new Place(node, file.getInodeId(), group)))
        .filter(content -> content != null && content.length >= length)
        .filter(content -> content.isSound(0, (int) length))
        .filter(content -> isFile(file.getInodeId(), group, content, (int) length))
        .count();
  }

  private boolean isFile(long file, int group, Content content, int length) {
    for (int at = 0; at < length; at++) {
      if (content.bytes[at] != byteOf(file, group * MetadataHarness.GROUP + at)) {
        return false;
      }
    }
    return true;
  }

  static boolean isExcluded(StatusProto status, NodeId node, int group) {
    for (ExclusionProto range : status.getExclusionsList()) {
      if (range.getNode().equals(WireIds.encode(node))
          && range.getFirstGroup() <= group
          && Integer.compareUnsigned(group, range.getEndGroup()) < 0) {
        return true;
      }
    }
    return false;
  }

  private Content content(NodeId node, long file, int group) {
    return contents.computeIfAbsent(new Place(node, file, group), place -> new Content());
  }

  void remove(NodeId node, FileKey file) {
    removed.add(file.fileId());
    contents.keySet().removeIf(place -> place.node().equals(node) && place.file() == file.fileId());
  }

  @Override
  public CompletableFuture<Extent> fence(
      NodeId node, FileKey file, int group, int epoch, LeaseBound lease) {
    return change(
        node,
        file,
        group,
        epoch,
        content -> new Extent(counted(content, group, lease), content.length, content.fence));
  }

  @Override
  public CompletableFuture<VerifiedGroup> verify(
      NodeId node, FileKey file, int group, LeaseBound lease, List<Long> marks, Duration limit) {
    return answer(
        node,
        () -> {
          Content content =
              contents.getOrDefault(new Place(node, file.fileId(), group), new Content());
          return verified(content, counted(content, group, lease), marks);
        });
  }

  private static VerifiedGroup verified(Content content, int counted, List<Long> marks) {
    List<VerifiedBlock> blocks = new ArrayList<>();
    for (int start = 0; start < counted; start += BLOCK) {
      int length = Math.min(BLOCK, counted - start);
      int good = 0;
      while (good < length
          && content.isSound(start + good, Math.min(content.length, start + good + CHUNK))) {
        good = Math.min(length, good + CHUNK);
      }
      Map<Integer, Integer> prefixes = new HashMap<>();
      for (long mark : marks) {
        if (mark > start && mark <= start + good) {
          prefixes.put((int) mark - start, crc(content, start, (int) mark - start));
        }
      }
      blocks.add(
          new VerifiedBlock(
              content.epochs[start / BLOCK], length, good, crc(content, start, good), prefixes));
    }
    return new VerifiedGroup(blocks);
  }

  private static int crc(Content content, int start, int length) {
    return Crc32c.of(ByteBuffer.wrap(content.bytes, start, length));
  }

  @Override
  public CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch) {
    return change(
        node,
        file,
        group,
        epoch,
        content -> {
          content.length = (int) Math.min(content.length, length);
          return new Extent(content.length, content.length, content.fence);
        });
  }

  @Override
  public CompletableFuture<Extent> copy(
      NodeId node, FileKey file, int group, Copy copy, Duration limit) {
    return change(
        node,
        file,
        group,
        copy.epoch(),
        content -> {
          Content source = contents.get(new Place(copy.source(), file.fileId(), group));
          int length = (int) copy.length();
          if (source == null || source.length < length || away.contains(copy.source())) {
            throw new Refusal(ErrorCode.UNAVAILABLE);
          }
          if (!source.isSound(copy.firstBlock() * BLOCK, length)) {
            throw new Refusal(ErrorCode.CORRUPT);
          }
          for (int at = copy.firstBlock() * BLOCK; at < length; at++) {
            content.bytes[at] = source.bytes[at];
            content.sent[at] = source.bytes[at];
            content.epochs[at / BLOCK] = copy.epoch();
          }
          content.length = length;
          copied++;
          return new Extent(length, length, content.fence);
        });
  }

  /** What is carried out, or refused, at a node that fences. */
  private interface Step {
    Extent run(Content content);
  }

  private static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final ErrorCode code;

    Refusal(ErrorCode code) {
      this.code = code;
    }
  }

  private CompletableFuture<Extent> change(
      NodeId node, FileKey file, int group, int epoch, Step step) {
    return answer(
        node,
        () -> {
          if (removed.contains(file.fileId())) {
            throw new Refusal(ErrorCode.FENCED);
          }
          Content content = content(node, file.fileId(), group);
          if (content.fence > epoch) {
            throw new Refusal(ErrorCode.FENCED);
          }
          content.fence = epoch;
          return step.run(content);
        });
  }

  private <T> CompletableFuture<T> answer(NodeId node, Supplier<T> step) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    if (!time.chance(20)) {
      time.within(
          5,
          () -> {
            if (!away.contains(node)) {
              carryOut(step, answer);
            }
          });
    }
    return answer;
  }

  private <T> void carryOut(Supplier<T> step, CompletableFuture<T> answer) {
    boolean arrives = !time.chance(20);
    try {
      T outcome = step.get();
      if (arrives) {
        time.within(5, () -> answer.complete(outcome));
      }
    } catch (Refusal e) {
      if (arrives) {
        time.within(5, () -> answer.completeExceptionally(new VdfsException(e.code, "planted")));
      }
    }
  }

  List<NodeId> nodes() {
    return nodes;
  }
}
