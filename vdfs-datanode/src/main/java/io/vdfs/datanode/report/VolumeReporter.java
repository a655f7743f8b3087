package io.vdfs.datanode.report;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeVolumesProto;
import io.vdfs.common.wire.proto.ReportVolumesOp;
import io.vdfs.common.wire.proto.VolumeStateProto;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.status.VolumeUsage;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the metadata which volumes this node has, and which it had and does not serve: when it
 * starts, when one of them gets another state, and now and then, as metadata may be lost. A report
 * that fails is made again. Confined to the service loop; {@link #start} and {@link #stop} are for
 * any thread.
 */
public final class VolumeReporter {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeReporter.class);

  /** The pause between two looks at the volumes. */
  static final Duration PERIOD = Duration.ofSeconds(2);

  /** The time after which volumes that have not changed are reported again. */
  static final Duration AGAIN = Duration.ofHours(1);

  private final NodeId self;
  private final BlockStore store;
  private final Function<MetaRequest, CompletableFuture<MetaResponse>> leader;
  private final ServiceLoop loop;
  private Optional<Told> told = Optional.empty();
  private Optional<ErrorCode> refused = Optional.empty();
  private volatile boolean stopped;

  /**
   * The last report that was recorded.
   *
   * @param states of the volumes, without what changes by itself
   */
  private record Told(NodeVolumesProto states, long nanoTime) {}

  /**
   * @param leader takes requests to the leader as the daemon's own user; errors are in responses
   * @param loop of this reporter alone: a disk may keep it waiting
   */
  public VolumeReporter(
      NodeId self,
      BlockStore store,
      Function<MetaRequest, CompletableFuture<MetaResponse>> leader,
      ServiceLoop loop) {
    this.self = self;
    this.store = store;
    this.leader = leader;
    this.loop = loop;
  }

  public void start() {
    loop.execute(this::look);
  }

  /** Ends the reports after the one at hand. */
  public void stop() {
    stopped = true;
  }

  private void look() {
    if (stopped) {
      return;
    }
    NodeVolumesProto now = volumes();
    NodeVolumesProto states = states(now);
    if (isTold(states)) {
      later();
      return;
    }
    var unused =
        leader
            .apply(
                MetaRequest.newBuilder()
                    .setReportVolumes(ReportVolumesOp.newBuilder().setVolumes(now))
                    .build())
            .whenCompleteAsync(
                (response, error) -> {
                  onAnswer(states, response, error);
                  later();
                },
                loop);
  }

  private boolean isTold(NodeVolumesProto states) {
    return told.filter(
            last ->
                last.states().equals(states) && loop.nanoTime() - last.nanoTime() < AGAIN.toNanos())
        .isPresent();
  }

  private void later() {
    loop.schedule(PERIOD, this::look);
  }

  private void onAnswer(NodeVolumesProto states, MetaResponse response, Throwable error) {
    if (error == null && !response.hasError()) {
      told = Optional.of(new Told(states, loop.nanoTime()));
      refused = Optional.empty();
      return;
    }
    ErrorCode code = error == null ? WireIds.errorCode(response.getError()) : ErrorCode.UNAVAILABLE;
    if (!refused.equals(Optional.of(code))) {
      LOG.info(
          "The volumes of this node are not recorded yet: {}",
          error == null ? response.getError().getMessage() : error.getMessage());
      refused = Optional.of(code);
    }
  }

  private NodeVolumesProto volumes() {
    Map<UUID, KnownVolumeProto> volumes = new TreeMap<>();
    store
        .report()
        .unserved()
        .forEach(
            (id, place) ->
                volumes.put(id, volume(id, place.toString(), 0, VolumeStateProto.VOLUME_FAILED)));
    for (VolumeUsage volume : store.usage()) {
      VolumeStateProto state =
          volume.suspect().isPresent()
              ? VolumeStateProto.VOLUME_SUSPECT
              : VolumeStateProto.VOLUME_SERVING;
      volumes.put(
          volume.volume(),
          volume(
              volume.volume(),
              volume.directory().toAbsolutePath().toString(),
              volume.capacity(),
              state));
    }
    return NodeVolumesProto.newBuilder()
        .setNode(WireIds.encode(self))
        .addAllVolumes(volumes.values())
        .build();
  }

  private static KnownVolumeProto volume(
      UUID id, String directory, long capacity, VolumeStateProto state) {
    return KnownVolumeProto.newBuilder()
        .setId(WireIds.encode(id))
        .setDirectory(directory)
        .setCapacity(capacity)
        .setState(state)
        .build();
  }

  /** A report without capacities, which on some filesystems change all the time. */
  private static NodeVolumesProto states(NodeVolumesProto report) {
    NodeVolumesProto.Builder states = report.toBuilder();
    states.getVolumesBuilderList().forEach(KnownVolumeProto.Builder::clearCapacity);
    return states.build();
  }
}
