package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Packets to one of four hosts are dropped while a client writes. The node there goes on renewing
 * its session, so that nothing reports it as unreachable.
 *
 * <p>Runs without the fault for as long as with it, {@code vdfs.it.outage.seconds}; the profile
 * {@code root} with {@code -Doutage.seconds=120} measures how much of its rate the writer keeps.
 */
@Tag("root")
@Timeout(900)
class BlackHoledHostIT {
  private static final Duration PHASE =
      Duration.ofSeconds(Math.max(20, Integer.getInteger("vdfs.it.outage.seconds", 20)));
  private static final int PIECE = 1 << 20;
  private static final double KEPT = 0.7;
  private static final ClusterSpec SPEC =
      ClusterSpec.small("black-hole", 4).withDefaultGeometry().with("vdfs.volume.reserve", "0");
  private static final String HOST = SPEC.hosts().get(3);

  private final byte[] piece = new byte[PIECE];
  private int files;

  BlackHoledHostIT() {
    new Random(7).nextBytes(piece);
  }

  @Test
  void shouldKeepMostOfAWritersRate() throws Exception {
    try (DaemonProcesses cluster = DaemonProcesses.start(SPEC);
        FileSystem fs = cluster.newFileSystem()) {
      write(fs, Duration.ofSeconds(5));
      long quiet = write(fs, PHASE);
      long cut;
      try (BlackHole hole = BlackHole.of(HOST)) {
        cut = write(fs, PHASE);
        assertTrue(hole.dropped() > 0, "nobody asked the node that can't be reached");
      }
      double kept = (double) cut / quiet;
      System.out.printf(
          "{\"seconds\": %d, \"quiet_mib\": %d, \"cut_mib\": %d, \"kept\": %.2f}%n",
          PHASE.toSeconds(), quiet, cut, kept);
      assertTrue(
          fs.getStorageStatistics().getLong("nodes_excluded") > 0, "no file went round the node");
      assertTrue(kept >= KEPT, "kept=" + kept);
      write(fs, Duration.ofSeconds(1));
    }
  }

  /** Writes file after file, the last one read back, and returns how many pieces there were. */
  private long write(FileSystem fs, Duration length) throws IOException {
    long pieces = 0;
    long end = System.nanoTime() + length.toNanos();
    while (System.nanoTime() < end) {
      Path path = new Path("/file" + files++);
      int own = 0;
      try (FSDataOutputStream out = fs.create(path)) {
        for (; own < 256 && System.nanoTime() < end; own++) {
          out.write(piece);
        }
      }
      pieces += own;
      if (System.nanoTime() >= end) {
        assertReads(fs, path, own);
      }
      fs.delete(path, false);
    }
    return pieces;
  }

  private void assertReads(FileSystem fs, Path path, int pieces) throws IOException {
    byte[] seen = new byte[PIECE];
    try (FSDataInputStream in = fs.open(path)) {
      for (int number = 0; number < pieces; number++) {
        in.readFully(seen);
        assertArrayEquals(piece, seen);
      }
      assertEquals(-1, in.read());
    }
  }
}
