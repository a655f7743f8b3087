package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.ReclaimStatusQuery;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.NamespaceOracle.Entry;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The metadata service on one thread, from a seed: clients, packers, states and the leader's
 * services over members that crash and messages that get lost. Each outcome is checked against the
 * simple namespace in the order of the log. Meanwhile nodes are away, writers die in the middle of
 * what they send, and each file has a node on which its bytes rot, go back in time or vanish: no
 * reader ever gets bytes that are not the file's. In the end, when all is calm, the members are
 * equal, no file is open, and the nodes hold what the namespace needs and nothing else.
 */
@Timeout(600)
class MetadataSimulationTest {
  private static final int SEEDS = Integer.getInteger("vdfs.test.seeds", 60);
  private static final int CLIENTS = 6;
  private static final int STEPS = 200;
  private static final Duration LONGEST = Duration.ofMinutes(10);
  private static final Duration AFTERWARDS = Duration.ofSeconds(40);

  private int crashes;
  private int lost;
  private int retried;
  private int recovered;
  private int freed;
  private int harmed;
  private int copied;
  private int stale;

  private static MetadataState state() {
    return new MetadataState(
        MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"), new LedgerAdapter());
  }

  @Test
  void shouldDoWhatTheSimpleNamespaceDoes() {
    for (long seed = 0; seed < SEEDS; seed++) {
      simulate(seed, MetadataSimulationTest::state);
    }
    assertTrue(crashes > SEEDS, "crashes=" + crashes);
    assertTrue(lost > SEEDS, "lost=" + lost);
    assertTrue(retried > SEEDS, "retried=" + retried);
    assertTrue(recovered > SEEDS, "recovered=" + recovered);
    assertTrue(freed > SEEDS, "freed=" + freed);
    assertTrue(harmed > SEEDS, "harmed=" + harmed);
    assertTrue(copied > SEEDS, "copied=" + copied);
    assertTrue(stale > 0, "stale=" + stale);
  }

  private void simulate(long seed, Supplier<? extends ReplicatedState> states) {
    SimulatedTime time = new SimulatedTime(seed);
    SimulatedGroup group = new SimulatedGroup(time, states);
    try {
      List<SimulatedClient> clients =
          IntStream.rangeClosed(1, CLIENTS)
              .mapToObj(number -> new SimulatedClient(group, number, STEPS))
              .toList();
      while (!clients.stream().allMatch(SimulatedClient::isDone)) {
        assertTrue(time.nanos() < LONGEST.toNanos(), "clients get no answer");
        time.run(Duration.ofSeconds(1));
      }
      group.calm();
      time.run(AFTERWARDS);
      check(group);
      crashes += group.crashes();
      lost += group.lostMessages();
      retried += group.oracle().retried();
      recovered += group.oracle().recovered();
      harmed += group.stores().harmed();
      copied += group.stores().copied();
      stale += group.stores().staleSeen();
      freed += group.oracle().namespace().freed().size();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed=" + seed, e);
    } finally {
      group.end();
    }
  }

  private static void check(SimulatedGroup group) {
    SimulatedMember leader = group.leader().orElseThrow();
    assertEquals(group.nodes().size(), group.members().size());
    SimulatedMember.Snapshot expected = leader.snapshot();
    for (SimulatedMember member : group.members()) {
      SimulatedMember.Snapshot found = member.snapshot();
      assertEquals(expected.entries(), found.entries(), "a member lags");
      assertTrue(expected.bytes().equals(found.bytes()), "members differ");
    }
    MetadataHarness meta = new MetadataHarness((MetadataState) leader.state());
    assertEquals(
        new ArrayList<>(group.oracle().namespace().entries().keySet()), walk(meta), "paths");
    assertTrue(meta.leases().isEmpty(), () -> "open files: " + meta.leases());
    assertEquals(
        0,
        ask(meta, meta.request().setReclaimStatus(ReclaimStatusQuery.getDefaultInstance()))
            .getReclaim()
            .getPending());
    assertEquals(
        0,
        ask(meta, meta.request().setPollDeletions(PollDeletionsQuery.getDefaultInstance()))
            .getDeletions()
            .getDeletionsCount());
    group
        .oracle()
        .namespace()
        .entries()
        .forEach((path, entry) -> checkEntry(group, meta.status(path), entry));
    for (long file : group.oracle().namespace().freed()) {
      assertFalse(group.stores().holdsAnythingOf(file), () -> "left over: file=" + file);
    }
  }

  private static MetaResponse ask(MetadataHarness meta, MetaRequest.Builder query) {
    return meta.answer(query);
  }

  private static List<String> walk(MetadataHarness meta) {
    Set<String> paths = new TreeSet<>();
    walk(meta, "/", paths);
    return List.copyOf(paths);
  }

  private static void walk(MetadataHarness meta, String path, Set<String> paths) {
    paths.add(path);
    if (meta.status(path).getDirectory()) {
      String prefix = path.equals("/") ? "/" : path + "/";
      meta.names(path).forEach(name -> walk(meta, prefix + name, paths));
    }
  }

  /** The namespace has the entry, and enough nodes have its bytes. */
  private static void checkEntry(SimulatedGroup group, StatusProto status, Entry entry) {
    assertEquals(entry.directory, status.getDirectory());
    if (entry.directory) {
      return;
    }
    assertEquals(entry.fileId, status.getInodeId());
    assertEquals(entry.length, status.getLength());
    assertTrue(status.getLength() >= group.stores().acknowledged(entry.fileId));
    for (int at = 0; at < MetadataHarness.GEOMETRY.groupCount(entry.length); at++) {
      long needed = Math.min(MetadataHarness.GROUP, entry.length - at * MetadataHarness.GROUP);
      int number = at;
      long good = group.stores().goodCopies(status, number, needed);
      assertTrue(good >= 1, () -> "no copy has all the bytes: group=" + number + ": " + status);
    }
    group.stores().checkReaders(status);
  }

  @Test
  void shouldNoticeAStateThatForgetsItsCalls() {
    AssertionError noticed =
        assertThrows(AssertionError.class, () -> simulate(1, () -> new ForgetfulState(state())));
    assertTrue(Optional.ofNullable(noticed.getCause()).isPresent(), () -> "no cause: " + noticed);
  }
}
