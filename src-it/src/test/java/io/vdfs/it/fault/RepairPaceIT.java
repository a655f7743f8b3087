package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.command.ExitCodes;
import io.vdfs.datanode.store.volume.CombinedFileName;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.VdfsCommands;
import io.vdfs.it.tools.FileManifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What repair costs those who read meanwhile, on real daemons: it keeps to its rate, copies no more
 * than it has to, and leaves one pair of files per file, node and role. With the profile {@code
 * repair-faults}.
 */
@Tag("repair-faults")
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class RepairPaceIT {
  private static final int NODES = 5;
  private static final long MEBI = 1 << 20;
  private static final long RATE = Long.getLong("vdfs.it.repair.rate.mebibytes", 8) * MEBI;
  private static final ClusterSpec SPEC =
      ClusterSpec.small("pace", NODES)
          .with("vdfs.node.missing.after", "2s")
          .with("vdfs.node.replace.after", "10s")
          .with("vdfs.repair.rate", RATE / MEBI + "m")
          .with("vdfs.node.weight", "1")
          .with("vdfs.garbage.after", "5s")
          .with("vdfs.garbage.keep", "1s");

  private static final int FILE_BYTES = 8 << 20;
  private static final int FILES =
      (int) ((Long.getLong("vdfs.it.repair.megabytes", 512) << 20) / FILE_BYTES);
  private static final int READERS = 2;
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration MEASURED = Duration.ofSeconds(15);
  private static final double TOLERANCE = 0.1;
  private static final double LEAST_SHARE = 0.7;
  private static final double MOST_COPIED = 1.2;

  private final Random random = new Random(27);
  private final FileManifest manifest = new FileManifest();
  private DaemonProcesses cluster;
  private Verdict verdict;
  private RepairCosts costs;

  /** Bytes and time of what readers got, and of what a node copied in that time. */
  private record Pace(long read, long copied, Duration time) {
    double readPerSecond() {
      return read * 1e9 / time.toNanos();
    }

    double copiedPerSecond() {
      return copied * 1e9 / time.toNanos();
    }
  }

  @Test
  void shouldKeepToItsRateAndLeaveReadersTheirs() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      RingMap before = costs.ring();
      Pace quiet = measure(cluster.nodeId(0), MEASURED);
      int wiped = 1;
      cluster.kill(wiped);
      RepairFaultsIT.wipe(cluster.dataDirectory(wiped));
      cluster.launch(wiped);
      NodeId back = awaitNewNode();
      Await.until(
          "copying to be in full swing",
          LIMIT,
          () -> costs.counted(back, "repair", "bytes_copied") > 2 * RATE);
      Pace busy = measure(back, MEASURED);
      assertTrue(
          costs.counted(back, "repair", "promoted_arcs") == 0,
          "copies were complete: more megabytes");
      System.out.printf(
          "rate=%.1f MiB/s of %d, reads quiet=%.0f MiB/s, beside repair=%.0f MiB/s, share=%.2f%n",
          busy.copiedPerSecond() / MEBI,
          RATE / MEBI,
          quiet.readPerSecond() / MEBI,
          busy.readPerSecond() / MEBI,
          busy.readPerSecond() / quiet.readPerSecond());
      assertTrue(Math.abs(busy.copiedPerSecond() / RATE - 1) < TOLERANCE, busy::toString);
      assertTrue(
          busy.readPerSecond() > LEAST_SHARE * quiet.readPerSecond(), () -> quiet + ", " + busy);

      verdict.awaitWhole(NODES);
      long copied = costs.copied();
      long places = costs.bytesOfNewPlaces(before, costs.files());
      System.out.printf(
          "copied=%d MiB, of the places that changed=%d MiB, ratio=%.3f%n",
          copied / MEBI, places / MEBI, (double) copied / places);
      assertTrue(copied <= MOST_COPIED * places, "copied=%d of %d".formatted(copied, places));
      assertOnePairEach();
      verdict.judge(manifest);
    }
  }

  @Test
  void shouldFollowWeights() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      begin(started);
      VdfsCommands commands = new VdfsCommands(cluster, LIMIT);
      String level = commands.vdfs(ExitCodes.SOUND, "balance");
      long before = costs.ring().epoch();
      Map<String, String> heavy = new TreeMap<>(cluster.nodeProperties(2));
      heavy.put("vdfs.node.weight", "2");
      cluster.kill(2);
      cluster.launch(2, heavy);
      cluster.awaitServing();
      verdict.awaitWhole(NODES);
      NodeId heavier = cluster.nodeId(2);
      int places = places(heavier);
      assertEquals(before, costs.ring().epoch(), level);

      String said = commands.vdfs(ExitCodes.SOUND, "balance");
      System.out.println(said);
      verdict.awaitWhole(NODES);
      int then = places(heavier);
      System.out.println("places=" + places + ", then=" + then);
      // of three places an arc, two of six parts
      double wanted = SPEC.geometry().arcs() * 3 * 2.0 / 6;
      assertTrue(Math.abs(then - wanted) <= 1 + wanted / 50, () -> then + " of " + wanted);
      awaitNoSurplus();
      assertOnePairEach();
      verdict.judge(manifest);
    }
  }

  private void begin(DaemonProcesses started) throws Exception {
    cluster = started;
    verdict = new Verdict(cluster, NODES);
    costs = new RepairCosts(cluster, SPEC.geometry());
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (int file = 0; file < FILES; file++) {
        byte[] bytes = new byte[FILE_BYTES];
        random.nextBytes(bytes);
        try (FSDataOutputStream out = fileSystem.create(path(file))) {
          out.write(bytes);
        }
        manifest.add(path(file).toUri().getPath(), bytes);
      }
    }
    verdict.awaitWhole(NODES);
  }

  private static org.apache.hadoop.fs.Path path(int file) {
    return new org.apache.hadoop.fs.Path("/files/" + file);
  }

  /** Lets readers read whole files at random for that time, after a warm-up of a third of it. */
  private Pace measure(NodeId copier, Duration time) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicLong read = new AtomicLong();
    ExecutorService readers = Executors.newFixedThreadPool(READERS);
    try {
      List<Future<?>> reading = new ArrayList<>();
      for (int reader = 0; reader < READERS; reader++) {
        long seed = reader;
        reading.add(
            readers.submit(
                () -> {
                  readUntil(over::get, new Random(seed), read);
                  return null;
                }));
      }
      Await.passing(time.dividedBy(3));
      long readBefore = read.get();
      long copiedBefore = costs.counted(copier, "repair", "bytes_copied");
      long begun = System.nanoTime();
      Await.passing(time);
      long bytesRead = read.get() - readBefore;
      Duration took = Duration.ofNanos(System.nanoTime() - begun);
      long copied = costs.counted(copier, "repair", "bytes_copied") - copiedBefore;
      over.set(true);
      for (Future<?> reader : reading) {
        reader.get();
      }
      return new Pace(bytesRead, copied, took);
    } finally {
      over.set(true);
      readers.shutdownNow();
    }
  }

  private void readUntil(BooleanSupplier over, Random order, AtomicLong read) throws IOException {
    byte[] buffer = new byte[(int) MEBI];
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      while (!over.getAsBoolean()) {
        try (FSDataInputStream in = fileSystem.open(path(order.nextInt(FILES)))) {
          for (int got = in.read(buffer); got >= 0 && !over.getAsBoolean(); got = in.read(buffer)) {
            read.addAndGet(got);
          }
        }
      }
    }
  }

  private NodeId awaitNewNode() throws Exception {
    return Await.value(
        "the new node to have places",
        LIMIT,
        () ->
            costs.ring().nodes().values().stream()
                .map(RingNode::id)
                .filter(
                    node ->
                        costs.ring().arcs().stream().anyMatch(arc -> arc.joining().contains(node)))
                .findFirst());
  }

  private int places(NodeId node) {
    return (int) costs.ring().arcs().stream().filter(arc -> arc.contains(node)).count();
  }

  private void awaitNoSurplus() throws Exception {
    Await.until(
        "what moved away to be discarded",
        LIMIT,
        () -> {
          for (RingNode node : costs.ring().nodes().values()) {
            if (costs.counted(node.id(), "garbage", "kept_files") > 0) {
              return false;
            }
          }
          return true;
        });
  }

  /** One data file and one index for each file, node and role, and nothing else. */
  private void assertOnePairEach() throws IOException {
    for (int node : SPEC.nodes()) {
      Map<CombinedFileName, Integer> pairs = new HashMap<>();
      List<String> others = new ArrayList<>();
      Path volume = cluster.dataDirectory(node);
      try (Stream<Path> all = Files.walk(volume.resolve("blocks"))) {
        for (Path path : all.filter(Files::isRegularFile).toList()) {
          String name = path.getFileName().toString();
          if (path.startsWith(volume.resolve("blocks/blank"))) {
            continue;
          }
          CombinedFileName.parse(
                  name.replace(CombinedFileName.INDEX_SUFFIX, CombinedFileName.DATA_SUFFIX))
              .ifPresentOrElse(pair -> pairs.merge(pair, 1, Integer::sum), () -> others.add(name));
        }
      }
      assertEquals(List.of(), others);
      assertTrue(!pairs.isEmpty() && pairs.size() <= 2 * FILES, pairs::toString);
      assertTrue(pairs.values().stream().allMatch(files -> files == 2), pairs::toString);
    }
  }
}
