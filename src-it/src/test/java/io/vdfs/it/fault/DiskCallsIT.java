package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.command.ExitCodes;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.VdfsCommands;
import io.vdfs.it.tools.FileManifest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Real daemons, one of which is killed at a certain call to its disk, or gets an error from it, and
 * goes on in the same process: while it writes a combined file, its Raft log or a snapshot, and
 * while it sets up a volume. Nothing that was acknowledged is lost, and all copies are there again
 * and equal at the end. Needs root and {@code strace}.
 */
@Tag("root")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class DiskCallsIT {
  private static final int NODES = 3;
  private static final int LEAVING = NODES;

  /** For each place, half of them at writes; with errors of one kind, so many again. */
  private static final int POINTS = Integer.getInteger("vdfs.it.crash.points", 2);

  /** A volume is set up with two writes. */
  private static final int SET_UP_KILLS = Math.min(POINTS, 4);

  private static final List<String> ERRORS = List.of("EIO", "ENOSPC");
  private static final ClusterSpec SPEC =
      ClusterSpec.small("calls", NODES)
          .patient()
          .with("vdfs.metadata.snapshot.entries", "100")
          .with("vdfs.delivery.local", "false");

  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration SOON = Duration.ofSeconds(20);
  private static final int PIECE_BYTES = 50_000;

  private final Random random = new Random(27);
  private final FileManifest manifest = new FileManifest();
  private final Set<String> names = new TreeSet<>();
  private DaemonProcesses cluster;
  private Verdict verdict;
  private int faults;

  @AfterEach
  void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start(ClusterSpec spec) throws Exception {
    cluster = DaemonProcesses.start(spec);
    verdict = new Verdict(cluster, NODES);
    verdict.awaitWhole(spec.nodes().size());
  }

  /**
   * A volume on which a write or force failed is not written to before its daemon starts again,
   * unless there was no room for the write.
   */
  @Test
  void shouldOutliveFaultsOfCombinedFiles() throws Exception {
    start(SPEC);
    for (CallFault fault : faults(POINTS, POINTS)) {
      int node = faults % NODES;
      try (FileSystem fileSystem = cluster.newFileSystem()) {
        Set<Path> before = combinedFiles(node);
        try (Growing file = new Growing(fileSystem, "/combined-" + faults)) {
          file.grow();
          Set<Path> made = combinedFiles(node);
          made.removeAll(before);
          assertEquals(2, made.size(), made::toString);
          strike(fault, node, () -> made, file::grow);
          file.grow();
        }
      }
      goOn();
      if (fault.effect().contains("EIO") || fault.calls() == CallFault.Calls.FORCES) {
        cluster.kill(node);
        cluster.restart(node);
      }
      verdict.awaitWhole(NODES);
    }
    judge(2 * POINTS);
  }

  @Test
  void shouldOutliveFaultsOfTheRaftLog() throws Exception {
    start(SPEC);
    for (CallFault fault : faults(POINTS, POINTS)) {
      int node = anyRole();
      strike(fault, node, () -> openLogs(node), this::makeName);
      goOn();
    }
    judge(2 * POINTS);
  }

  @Test
  void shouldOutliveFaultsOfSnapshots() throws Exception {
    start(SPEC);
    for (CallFault fault : faults(POINTS, POINTS)) {
      int node = anyRole();
      Path directory = openLogs(node).get(0).getParent().resolveSibling("sm");
      List<Path> files = List.of(directory, directory.resolve("draft.tmp"));
      strike(fault, node, () -> files, this::makeName);
      goOn();
    }
    judge(2 * POINTS);
  }

  /**
   * A new node each time, in place of one that leaves. It may do without what it can write later,
   * as without its copy of the list of volumes on a full disk.
   */
  @Test
  void shouldOutliveFaultsOfTheSetUpOfVolumes() throws Exception {
    start(ClusterSpec.small("calls", NODES + 1).with("vdfs.delivery.local", "false"));
    for (CallFault fault : faults(SET_UP_KILLS, POINTS)) {
      leave();
      Path volume = cluster.dataDirectory(LEAVING);
      List<Path> files =
          Stream.of("", "vdfs-volume.tmp", "vdfs-volume", "vdfs-volumes.tmp", "vdfs-volumes")
              .map(volume::resolve)
              .toList();
      Path told = cluster.directory().directory("strace").resolve("calls-" + faults);
      cluster.launchThrough(LEAVING, fault.launcher(files, told));
      cluster.launch(LEAVING);
      boolean outlived = cluster.awaitServiceOrEnd(LEAVING, LIMIT);
      assertTrue(CallFault.hasStruck(told), () -> fault + " did not strike");
      System.out.printf("fault %d: %s, outlived: %s%n", faults, fault, outlived);
      cluster.launchThrough(LEAVING, List.of());
      if (!outlived) {
        cluster.awaitEnd(LEAVING, LIMIT);
        cluster.restart(LEAVING);
      }
      verdict.awaitWhole(NODES + 1);
      goOn();
      faults++;
    }
    leave();
    judge(SET_UP_KILLS + POINTS);
  }

  private void leave() throws Exception {
    String node = cluster.nodeId(LEAVING).toString();
    new VdfsCommands(cluster, LIMIT).vdfs(ExitCodes.SOUND, "node", "decommission", node);
    cluster.kill(LEAVING);
    RepairFaultsIT.wipe(cluster.dataDirectory(LEAVING));
  }

  private static List<CallFault> faults(int kills, int errors) {
    List<CallFault> faults = new ArrayList<>();
    for (int point = 0; point < kills; point++) {
      CallFault.Calls calls = point % 2 == 0 ? CallFault.Calls.WRITES : CallFault.Calls.STEPS;
      faults.add(CallFault.kill(calls, 1 + point / 2));
    }
    for (int point = 0; point < errors; point++) {
      CallFault.Calls calls = point % 2 == 0 ? CallFault.Calls.WRITES : CallFault.Calls.FORCES;
      faults.add(CallFault.error(calls, 1 + point / 2 % 2, ERRORS.get(point / 4 % 2)));
    }
    return faults;
  }

  /** What makes a daemon use its disk. */
  @FunctionalInterface
  private interface Work {
    void run() throws Exception;
  }

  /** The files that a node uses now; it may begin others at any time. */
  @FunctionalInterface
  private interface UsedFiles {
    Collection<Path> get() throws Exception;
  }

  /** Has a fault strike a node that works, and waits until all is as it should be. */
  private void strike(CallFault fault, int node, UsedFiles files, Work work) throws Exception {
    long pid = cluster.pid(node);
    long begun = System.nanoTime();
    while (!hasStruck(fault, pid, files.get(), work)) {
      assertTrue(
          System.nanoTime() - begun < LIMIT.toNanos(),
          () -> fault + " did not strike: node=" + node);
    }
    boolean dead = fault.effect().contains("KILL");
    if (dead) {
      cluster.kill(node);
      cluster.launch(node);
    }
    System.out.printf("node=%d, fault %d: %s%n", node, faults, fault);
    faults++;
    cluster.awaitServing();
    assertEquals(dead, cluster.pid(node) != pid, () -> fault + ": " + node);
  }

  /** Works for a while, or until a fault has struck. */
  private boolean hasStruck(CallFault fault, long pid, Collection<Path> files, Work work)
      throws Exception {
    long begun = System.nanoTime();
    try (CallFault.Armed armed = fault.at(pid, files, cluster.directory().directory("strace"))) {
      while (!armed.hasStruck() && System.nanoTime() - begun < SOON.toNanos()) {
        work.run();
      }
      return armed.hasStruck();
    }
  }

  /** Goes on with the same daemons. */
  private void goOn() throws Exception {
    verdict.awaitServing(LIMIT);
    try (FileSystem fileSystem = cluster.newFileSystem();
        Growing file = new Growing(fileSystem, "/after-" + faults)) {
      file.grow();
    }
    makeName();
  }

  private void judge(int expected) throws Exception {
    assertEquals(expected, faults);
    verdict.awaitWhole(NODES);
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (String name : names) {
        assertTrue(fileSystem.exists(new org.apache.hadoop.fs.Path(name)), name);
      }
    }
    verdict.judge(manifest);
  }

  private void makeName() throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      String name = "/names/" + names.size();
      assertTrue(fileSystem.mkdirs(new org.apache.hadoop.fs.Path(name)));
      names.add(name);
    }
  }

  /** The leader, and every second time another node. */
  private int anyRole() throws Exception {
    return (verdict.leader() + faults % 2) % NODES;
  }

  /** A member is without one for a moment, when it ends a file and begins the next. */
  private List<Path> openLogs(int node) throws Exception {
    return Await.value(
        "an open log of node " + node,
        LIMIT,
        () -> Optional.of(findOpenLogs(node)).filter(logs -> !logs.isEmpty()));
  }

  private List<Path> findOpenLogs(int node) throws IOException {
    try (Stream<Path> all = Files.walk(cluster.dataDirectory(node).resolve("metadata"))) {
      return all.filter(file -> file.getParent().endsWith("current"))
          .filter(file -> file.getFileName().toString().startsWith("log_inprogress_"))
          .toList();
    } catch (UncheckedIOException e) {
      // the tree changes meanwhile
      return List.of();
    }
  }

  private Set<Path> combinedFiles(int node) throws IOException {
    Set<Path> files = new TreeSet<>();
    for (Path volume : cluster.volumes(node)) {
      Path blank = volume.resolve("blocks/blank");
      try (Stream<Path> all = Files.walk(volume.resolve("blocks"))) {
        all.filter(file -> Files.isRegularFile(file) && !file.startsWith(blank))
            .forEach(files::add);
      }
    }
    return files;
  }

  /** A file that is written and synced piece by piece. */
  private final class Growing implements AutoCloseable {
    private final String path;
    private final FSDataOutputStream out;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Growing(FileSystem fileSystem, String path) throws IOException {
      this.path = path;
      this.out = fileSystem.create(new org.apache.hadoop.fs.Path(path));
    }

    void grow() throws IOException {
      byte[] piece = new byte[PIECE_BYTES];
      random.nextBytes(piece);
      out.write(piece);
      out.hsync();
      bytes.write(piece);
    }

    @Override
    public void close() throws IOException {
      out.close();
      manifest.add(path, bytes.toByteArray());
    }
  }
}
