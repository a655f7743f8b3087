package io.vdfs.datanode;

import io.vdfs.common.concurrent.Parts;
import io.vdfs.common.metrics.MetricGroup;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.repair.RepairCounter;
import io.vdfs.datanode.repair.RepairSettings;
import io.vdfs.datanode.repair.Repairer;
import io.vdfs.datanode.repair.copy.RepairThreads;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.repair.garbage.GarbageCollector;
import io.vdfs.datanode.repair.garbage.GarbageCounter;
import io.vdfs.datanode.report.VolumeReporter;
import io.vdfs.datanode.scrub.ScrubCounter;
import io.vdfs.datanode.scrub.ScrubFile;
import io.vdfs.datanode.scrub.Scrubber;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DoubtedBlocks;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The services that keep the copies of a node complete, sound, and no more than they should be, and
 * what the metadata know of its volumes. Immutable.
 */
record Upkeep(Repairer repairer, Scrubber scrubber, GarbageCollector garbage) {
  /** One purges while the other discards. */
  private static final int GARBAGE_THREADS = 2;

  /**
   * Starts all of it.
   *
   * @param parts of the daemon, which end it
   * @param leader takes requests to the leader as the daemon's own user; errors are in responses
   * @param position of the scrubber, which outlives restarts
   * @param onDiscarded told of each file that was taken out of use
   */
  static Upkeep start(
      Parts parts,
      Surroundings around,
      BlockStore store,
      DoubtedBlocks doubts,
      Function<MetaRequest, CompletableFuture<MetaResponse>> leader,
      DaemonSettings.Copies settings,
      ScrubFile position,
      Consumer<FileKey> onDiscarded) {
    RepairSettings repair = settings.repair();
    Repairer repairer = new Repairer(around, leader, repair);
    parts.add(repairer::stop);
    repairer.start();
    Clock clock = Clock.systemUTC();
    GarbageCollector garbage =
        new GarbageCollector(
            around.with(parts.add(new RepairThreads("vdfs-garbage", GARBAGE_THREADS))),
            store,
            repairer,
            repair.rate(),
            settings.garbage(),
            clock,
            onDiscarded);
    parts.add(garbage::stop);
    garbage.start();
    Scrubber scrubber =
        new Scrubber(
            store,
            doubts,
            repair.scrubPeriod(),
            repair.rate(),
            position,
            repairer::onDamage,
            clock,
            parts.add(new ThreadServiceLoop("vdfs-scrubber")));
    parts.add(scrubber::stop);
    scrubber.start();
    VolumeReporter volumes =
        new VolumeReporter(
            around.self(), store, leader, parts.add(new ThreadServiceLoop("vdfs-volume-reports")));
    parts.add(volumes::stop);
    volumes.start();
    return new Upkeep(repairer, scrubber, garbage);
  }

  /** Counters of services that may not have started yet: zeros until then. */
  static List<MetricGroup> metrics(Supplier<Optional<Upkeep>> upkeep) {
    return List.of(
        MetricGroup.of(
            "repair",
            RepairCounter.class,
            counter -> upkeep.get().map(running -> running.repairer().read(counter)).orElse(0L)),
        MetricGroup.of(
            "scrub",
            ScrubCounter.class,
            counter -> upkeep.get().map(running -> running.scrubber().read(counter)).orElse(0L)),
        MetricGroup.of(
            "garbage",
            GarbageCounter.class,
            counter -> upkeep.get().map(running -> running.garbage().read(counter)).orElse(0L)));
  }
}
