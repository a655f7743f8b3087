package io.vdfs.client.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.FileRoundTripTest;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Writes files of random lengths in random steps while nodes break at random points, and checks
 * each time that what was acknowledged lies on every replica that is not excluded, that readers see
 * it, and that no reader ever gets a byte other than was written. A failure names its seed; {@code
 * -Dvdfs.faults.seed=N} replays one run, {@code -Dvdfs.faults.runs=N} sets their number.
 */
class RandomFaultTest {
  private static final int RUNS = Integer.getInteger("vdfs.faults.runs", 100);
  private static final int THREADS = 8;

  @BeforeAll
  static void watchForLeaks() {
    LeakWatch.install();
  }

  @Test
  @Timeout(180)
  void shouldKeepWhatWasAcknowledgedWhateverBreaks() throws Exception {
    Integer only = Integer.getInteger("vdfs.faults.seed");
    int first = only == null ? 0 : only;
    int runs = only == null ? RUNS : 1;
    List<Future<Boolean>> outcomes = new ArrayList<>();
    ExecutorService pool = Executors.newFixedThreadPool(THREADS);
    for (int seed = first; seed < first + runs; seed++) {
      int mine = seed;
      outcomes.add(pool.submit(() -> new Run(mine).run()));
    }
    int closed = 0;
    for (int i = 0; i < runs; i++) {
      closed += closedBy(outcomes.get(i), first + i) ? 1 : 0;
    }
    pool.shutdown();

    assertTrue(closed >= runs / 2, "files closed=" + closed + ", runs=" + runs);
    assertEquals("[]", LeakWatch.leaks().toString());
  }

  private static boolean closedBy(Future<Boolean> outcome, int seed) {
    try {
      return outcome.get();
    } catch (Exception e) {
      throw new AssertionError("seed=" + seed, e);
    }
  }

  private static final class Run {
    private final int seed;
    private final Random random;
    private final int length;
    private final byte[] content;
    private final int faults;
    private final Set<TestNode> broken = new HashSet<>();
    private final Set<TestNode> unreachable = new HashSet<>();
    private final Map<Integer, TestNode> damaged = new HashMap<>();
    private int acknowledged;
    private int written;

    /** Bytes including the write that failed, whose first part may have gone out. */
    private int attempted;

    Run(int seed) {
      this.seed = seed;
      this.random = new Random(seed);
      this.length = random.nextInt(4 * (int) TestCluster.GEOMETRY.groupSize());
      this.content = TestCluster.bytes(seed, length);
      this.faults = random.nextInt(4);
    }

    /** Whether the file was closed. */
    boolean run() throws IOException {
      try (TestCluster cluster = newCluster()) {
        FileWriter writer = cluster.create();
        boolean closed;
        try {
          writeAll(cluster, writer);
          writer.close();
          acknowledged = length;
          closed = true;
        } catch (VdfsException e) {
          writer.abort();
          assertExcusable(cluster, e);
          closed = false;
        }
        verify(cluster);
        if (closed) {
          Replicas.assertNoMore(cluster, length);
          cluster.metadata.synced().values().forEach(nodes -> assertTrue(nodes.size() >= 2));
          Replicas.assertChecksumsTold(cluster.metadata, content);
        }
        return closed;
      }
    }

    /** Every other run has its nodes' bytes in the store of the daemons. */
    private TestCluster newCluster() throws IOException {
      StoreKind kind = seed % 2 == 0 ? StoreKind.MODEL : StoreKind.DISK;
      return new TestCluster(kind, 3 + random.nextInt(2), 3, TestCluster.HASTY);
    }

    private void writeAll(TestCluster cluster, FileWriter writer) throws IOException {
      List<Integer> faultsAt = new ArrayList<>();
      for (int i = 0; i < faults; i++) {
        faultsAt.add(random.nextInt(length + 1));
      }
      while (written < length) {
        int step = Math.min(length - written, 1 + random.nextInt(2500));
        for (int at : faultsAt) {
          if (at >= written && at < written + step) {
            breakSomething(cluster);
          }
        }
        attempted = written + step;
        writer.write(content, written, step);
        written += step;
        acknowledge(cluster, writer, random.nextInt(6));
      }
    }

    private void acknowledge(TestCluster cluster, FileWriter writer, int choice)
        throws IOException {
      if (choice == 0) {
        writer.flush();
      } else if (choice == 1) {
        writer.sync();
      } else {
        return;
      }
      acknowledged = written;
      Replicas.assertHold(cluster, content, acknowledged);
    }

    private void breakSomething(TestCluster cluster) {
      TestNode node = cluster.nodes.get(random.nextInt(cluster.nodes.size()));
      switch (random.nextInt(7)) {
        case 0 -> {
          node.proxy.refuse();
          broken.add(node);
          unreachable.add(node);
        }
        case 1 -> node.proxy.cut();
        case 2 -> {
          node.store.fillUp();
          broken.add(node);
        }
        case 3 -> {
          node.store.stall();
          broken.add(node);
        }
        case 4 -> {
          node.proxy.stall(true);
          broken.add(node);
        }
        case 5 -> {
          node.server.close();
          broken.add(node);
          unreachable.add(node);
        }
        default -> node.proxy.flipAfter(random.nextInt(4000), random.nextBoolean());
      }
    }

    /** Only where nodes were lost may a writer give up. */
    private void assertExcusable(TestCluster cluster, VdfsException failure) {
      Set<Object> lost = new HashSet<>();
      cluster.metadata.view().exclusions().forEach(exclusion -> lost.add(exclusion.node()));
      broken.forEach(node -> lost.add(node.id));
      assertTrue(lost.size() >= 2, () -> "seed=" + seed + ", failed without cause: " + failure);
    }

    private void verify(TestCluster cluster) throws IOException {
      Replicas.assertHold(cluster, content, acknowledged);
      for (TestNode node : cluster.nodes) {
        node.store.goOn();
        node.proxy.stall(false);
      }
      damageOneReplicaOfEachGroup(cluster);
      FileReader reader = cluster.freshReader();
      try {
        long visible = reader.refreshLength();
        assertTrue(visible >= acknowledged, "visible=" + visible + ", acked=" + acknowledged);
        assertTrue(visible <= attempted, "visible=" + visible + ", attempted=" + attempted);
        byte[] seen = TestCluster.readAll(reader);
        assertArrayEquals(Arrays.copyOf(content, seen.length), seen);
        byte[] again = FileRoundTripTest.readByCursor(cluster.freshReader(), 900);
        assertArrayEquals(Arrays.copyOf(content, again.length), again);
      } catch (VdfsException e) {
        readWhatWasAcknowledged(cluster, e);
      }
    }

    /** Bytes that were not acknowledged may be anywhere; each acknowledged one must be readable. */
    private void readWhatWasAcknowledged(TestCluster cluster, VdfsException failure)
        throws IOException {
      int groupSize = (int) TestCluster.GEOMETRY.groupSize();
      FileReader reader = cluster.freshReader();
      try {
        reader.refreshLength();
      } catch (VdfsException e) {
        assertTrue(
            IntStream.rangeClosed(0, written / groupSize).anyMatch(group -> isLost(cluster, group)),
            () -> "length unknown without cause: " + e);
        return;
      }
      for (int group = 0; group * groupSize < acknowledged; group++) {
        int from = group * groupSize;
        int to = Math.min(acknowledged, from + groupSize);
        byte[] seen = new byte[to - from];
        try {
          reader.readFully(from, seen, 0, seen.length);
          assertArrayEquals(Arrays.copyOfRange(content, from, to), seen);
        } catch (VdfsException e) {
          int unread = group;
          assertTrue(
              isLost(cluster, group),
              () -> "group=" + unread + " unreadable without cause: " + e + ", first " + failure);
        }
      }
    }

    /** Whether every replica of a group is out of reach or damaged. */
    private boolean isLost(TestCluster cluster, int group) {
      FileView view = cluster.metadata.view();
      return cluster.replicas(view.file(), group).stream()
          .filter(replica -> !view.excludes(replica.id(), group))
          .map(replica -> cluster.node(replica.id()))
          .allMatch(node -> unreachable.contains(node) || damaged.get(group) == node);
    }

    private void damageOneReplicaOfEachGroup(TestCluster cluster) throws VdfsException {
      FileView view = cluster.metadata.view();
      long groupSize = TestCluster.GEOMETRY.groupSize();
      for (int group = 0; group < TestCluster.GEOMETRY.groupCount(acknowledged); group++) {
        int target = group;
        List<TestNode> good =
            cluster.replicas(view.file(), group).stream()
                .filter(replica -> !view.excludes(replica.id(), target))
                .map(replica -> cluster.node(replica.id()))
                .filter(node -> !broken.contains(node))
                .toList();
        if (good.size() >= 2) {
          long bytes = Math.min(groupSize, acknowledged - group * groupSize);
          TestNode victim = good.get(random.nextInt(good.size()));
          long at = group * groupSize + random.nextInt((int) bytes);
          assertTrue(victim.store.damage(view.file(), at), () -> "not held: at=" + at);
          damaged.put(group, victim);
        }
      }
    }
  }
}
