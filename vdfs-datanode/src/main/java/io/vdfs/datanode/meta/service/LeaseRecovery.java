package io.vdfs.datanode.meta.service;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.rpc.NodeIds;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.StatusProto;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Supplier;

/**
 * Closes a file whose writer is gone, at a length that holds every byte the writer was told of.
 *
 * <pre>
 *   BeginRecovery (new epoch) -> fence replicas of the last groups -> length
 *     -> cut longer replicas -> FinishRecovery (length, nodes left out)
 * </pre>
 *
 * <p>Any step may fail or find the epoch moved on; the attempt then ends and the file stays in
 * recovery for a later one. Nothing is closed while no replica of the last group answers. Confined
 * to the service loop; one object serves many files.
 */
final class LeaseRecovery {
  /** How an attempt ended. */
  enum Outcome {
    /** The file is closed, or is no longer this leader's to close. */
    OVER,
    /** The file stays in recovery; try again later. */
    AGAIN
  }

  private final LeaderCalls calls;
  private final ReplicaProbe probe;
  private final Supplier<Optional<RingMap>> ring;
  private final ClusterGeometry geometry;
  private final ServiceLoop loop;
  private final Duration probeLimit;

  LeaseRecovery(
      LeaderCalls calls,
      ReplicaProbe probe,
      Supplier<Optional<RingMap>> ring,
      ClusterGeometry geometry,
      ServiceLoop loop,
      Duration probeLimit) {
    this.calls = calls;
    this.probe = probe;
    this.ring = ring;
    this.geometry = geometry;
    this.loop = loop;
    this.probeLimit = probeLimit;
  }

  /**
   * Makes one attempt.
   *
   * @param epoch the file's write epoch as the leader saw it
   * @return fails with the reason why the file had to be left in recovery
   */
  CompletableFuture<Outcome> recover(FileKey file, int epoch) {
    return calls
        .call(
            MetaRequest.newBuilder()
                .setBeginRecovery(
                    BeginRecoveryOp.newBuilder().setFile(proto(file)).setWriteEpoch(epoch))
                .build())
        .thenComposeAsync(
            response ->
                response.hasError()
                    ? ended(response)
                    : new Attempt(file, response.getOpenFile().getStatus()).run(),
            loop);
  }

  private static FileKeyProto proto(FileKey file) {
    return FileKeyProto.newBuilder()
        .setFileId(file.fileId())
        .setGeneration(file.generation())
        .build();
  }

  /** What an error of the metadata means: the file has moved on without us, or it will pass. */
  private static CompletableFuture<Outcome> ended(MetaResponse response) {
    ErrorCode code = Errors.code(response.getError());
    return switch (code) {
      case FENCED, NOT_FOUND, FILE_CHANGED -> CompletableFuture.completedFuture(Outcome.OVER);
      default -> CompletableFuture.failedFuture(Errors.toException(response.getError()));
    };
  }

  private static <T> CompletableFuture<T> leave(String reason) {
    return CompletableFuture.failedFuture(new VdfsException(ErrorCode.UNAVAILABLE, reason));
  }

  /** One attempt for one file, under the epoch that BeginRecovery gave it. */
  private final class Attempt {
    private final FileKey file;
    private final StatusProto status;
    private final int epoch;
    private final List<GroupCensus.Verdict> verdicts = new ArrayList<>();

    Attempt(FileKey file, StatusProto status) {
      this.file = file;
      this.status = status;
      this.epoch = status.getWriteEpoch();
    }

    CompletableFuture<Outcome> run() {
      return judgeFrom(geometry.groupAt(status.getLength()))
          .thenComposeAsync(unused -> cut(), loop)
          .thenComposeAsync(this::finish, loop);
    }

    /** Judges this group and, as long as they are whole, those after it. */
    private CompletableFuture<Void> judgeFrom(int group) {
      return census(group)
          .thenComposeAsync(this::judge, loop)
          .thenComposeAsync(
              verdict -> {
                verdicts.add(verdict);
                return verdict.length() == geometry.groupSize()
                    ? judgeFrom(group + 1)
                    : CompletableFuture.<Void>completedFuture(null);
              },
              loop);
    }

    private CompletableFuture<GroupCensus.Verdict> judge(GroupCensus census) {
      if (!census.isDecidable()) {
        return leave(
            "no replica with the acknowledged bytes answers: file=%s, group=%d, asked=%s, found=%s"
                .formatted(file, census.group(), census.asked(), census.extents()));
      }
      if (!census.isTornAtTheEnd()) {
        return CompletableFuture.completedFuture(census.shortest());
      }
      return census(census.group() + 1)
          .thenApplyAsync(
              next -> next.isEmptyEverywhere() ? census.shortest() : census.whole(), loop);
    }

    private CompletableFuture<GroupCensus> census(int group) {
      List<NodeId> nodes = replicas(group);
      Map<NodeId, Long> extents = new ConcurrentSkipListMap<>();
      Set<NodeId> ahead = new ConcurrentSkipListSet<>();
      CompletableFuture<?>[] answers =
          nodes.stream()
              .map(
                  node ->
                      Futures.within(probeLimit, probe.fence(node, file, group, epoch), loop)
                          .handle(
                              (extent, error) -> {
                                if (error == null) {
                                  extents.put(node, extent.length());
                                } else if (isFenced(error)) {
                                  ahead.add(node);
                                }
                                return null;
                              }))
              .toArray(CompletableFuture<?>[]::new);
      return CompletableFuture.allOf(answers)
          .thenComposeAsync(
              unused ->
                  ahead.isEmpty()
                      ? CompletableFuture.completedFuture(
                          new GroupCensus(
                              group, nodes, extents, recorded(group), geometry.groupSize()))
                      : leave(
                          "a later recovery is under way: file=%s, epoch=%d, nodes=%s"
                              .formatted(file, epoch, ahead)),
              loop);
    }

    private static boolean isFenced(Throwable error) {
      return Futures.cause(error) instanceof VdfsException known
          && known.code() == ErrorCode.FENCED;
    }

    private List<NodeId> replicas(int group) {
      return ring.get().map(map -> map.replicas(file, group).serving()).orElse(List.of()).stream()
          .filter(node -> !isExcluded(node, group))
          .toList();
    }

    private boolean isExcluded(NodeId node, int group) {
      return status.getExclusionsList().stream()
          .anyMatch(
              range ->
                  range.getNode().equals(NodeIds.toBytes(node))
                      && Integer.compareUnsigned(range.getFirstGroup(), group) <= 0
                      && Integer.compareUnsigned(group, range.getEndGroup()) < 0);
    }

    private long recorded(int group) {
      long before = group * geometry.groupSize();
      return Math.max(0, Math.min(status.getLength() - before, geometry.groupSize()));
    }

    /** Brings the holders of the last group to one length; one that fails is left out. */
    private CompletableFuture<Long> cut() {
      GroupCensus.Verdict last = verdicts.get(verdicts.size() - 1);
      Set<NodeId> failed = new ConcurrentSkipListSet<>();
      CompletableFuture<?>[] cuts =
          last.longer().stream()
              .map(
                  node ->
                      Futures.within(
                              probeLimit,
                              probe.truncateGroup(node, file, last.group(), last.length(), epoch),
                              loop)
                          .exceptionally(
                              error -> {
                                failed.add(node);
                                return null;
                              }))
              .toArray(CompletableFuture<?>[]::new);
      return CompletableFuture.allOf(cuts)
          .thenComposeAsync(
              unused -> {
                GroupCensus.Verdict settled = last.without(failed);
                if (settled.kept().isEmpty()) {
                  return leave("no replica could be cut to length: file=" + file);
                }
                verdicts.set(verdicts.size() - 1, settled);
                return CompletableFuture.completedFuture(
                    last.group() * geometry.groupSize() + last.length());
              },
              loop);
    }

    private CompletableFuture<Outcome> finish(long length) {
      return calls
          .call(
              MetaRequest.newBuilder()
                  .setFinishRecovery(
                      FinishRecoveryOp.newBuilder()
                          .setFile(proto(file))
                          .setWriteEpoch(epoch)
                          .setLength(length)
                          .addAllExclusions(exclusions(geometry.groupCount(length))))
                  .build())
          .thenComposeAsync(
              response ->
                  response.hasError()
                      ? ended(response)
                      : CompletableFuture.completedFuture(Outcome.OVER),
              loop);
    }

    /** Nodes left out, with adjoining groups of a node in one range. */
    private List<ExclusionProto> exclusions(int groups) {
      Map<NodeId, ExclusionProto.Builder> open = new TreeMap<>();
      List<ExclusionProto.Builder> all = new ArrayList<>();
      for (GroupCensus.Verdict verdict : verdicts) {
        if (verdict.group() >= groups) {
          break;
        }
        for (NodeId node : verdict.excluded()) {
          ExclusionProto.Builder range = open.get(node);
          if (range == null || range.getEndGroup() != verdict.group()) {
            range =
                ExclusionProto.newBuilder()
                    .setNode(NodeIds.toBytes(node))
                    .setFirstGroup(verdict.group())
                    .setEpoch(epoch);
            open.put(node, range);
            all.add(range);
          }
          range.setEndGroup(verdict.group() + 1);
        }
      }
      return all.stream().map(ExclusionProto.Builder::build).toList();
    }
  }
}
