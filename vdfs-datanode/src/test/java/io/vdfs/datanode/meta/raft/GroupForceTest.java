package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.raft.disk.DiskForce;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checks what members force beside Ratis, with real members. */
@Timeout(180)
class GroupForceTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private final ConcurrentLinkedQueue<Path> files = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<Path> names = new ConcurrentLinkedQueue<>();

  /** Done by a disk before it forces names. */
  private volatile Step before = () -> {};

  private interface Step {
    void run() throws IOException;
  }

  private final DiskForce disk =
      new DiskForce() {
        @Override
        public void file(Path file) throws IOException {
          REAL.file(file);
          files.add(file);
        }

        @Override
        public void names(Path parent) throws IOException {
          before.run();
          REAL.names(parent);
          names.add(parent);
        }
      };

  @Test
  void shouldAcknowledgeNothingBeforeTheNameOfItsLogFileIsForced() throws Exception {
    CompletableFuture<Void> reached = new CompletableFuture<>();
    CompletableFuture<Void> released = new CompletableFuture<>();
    try (TestGroup group = new TestGroup(directory, 1, TestGroup.quick()).forcing(disk)) {
      group.startAll();
      group.leader();
      group.make("/a");
      before =
          () -> {
            reached.complete(null);
            released.join();
          };
      Files.createFile(group.storageOf(0).resolve("current/another"));
      CompletableFuture<MetaResponse> answer = group.member(0).submit(group.mkdirs("/b"));
      CompletableFuture.anyOf(reached, answer).join();
      assertFalse(answer.isDone(), "acknowledged while names are being forced");
      released.complete(null);
      assertFalse(answer.join().hasError(), answer::toString);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  @Test
  void shouldEndAMemberThatCannotForceTheNameOfItsLogFile() throws Exception {
    try (TestGroup group = new TestGroup(directory, 1, TestGroup.quick()).forcing(disk)) {
      group.startAll();
      group.leader();
      group.make("/a");
      before =
          () -> {
            throw new IOException("planted");
          };
      Files.createFile(group.storageOf(0).resolve("current/another"));
      MetaResponse answer = group.member(0).submit(group.mkdirs("/b")).join();
      assertTrue(answer.hasError(), "acknowledged, but not forced");
      TestGroup.await("the member to fail", () -> !group.failures.isEmpty());
      assertEquals("planted", group.failures.peek().getMessage());
    }
  }

  @Test
  void shouldForceVotesAndASnapshotThatALeaderSends() throws Exception {
    List<String> expected = new ArrayList<>();
    GroupMemberSettings.Tuning snapshotsOften =
        TestGroup.tuning(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(10), 20);
    try (TestGroup group = new TestGroup(directory, 3, snapshotsOften).foundedBy(2).forcing(disk)) {
      group.start(0);
      group.start(1);
      group.leader();
      assertTrue(names.contains(group.storageOf(0).resolve("current")), "the first one's vote");
      assertTrue(names.contains(group.storageOf(1).resolve("current")), "the second one's vote");
      for (int i = 0; i < 60; i++) {
        group.make("/a" + i);
        expected.add("/a" + i);
      }
      TestGroup.await("a snapshot", () -> group.counters.get(GroupCounter.SNAPSHOTS) >= 2);
      group.startInvited(2);
      group.member(group.leader()).change(group.members).join();
      group.awaitEqualStates(expected);
      assertTrue(group.states.get(2).loads() > 0, "no snapshot was sent");
      Path storage = group.storageOf(2);
      List<Path> arrived = files.stream().filter(file -> file.startsWith(storage)).toList();
      assertTrue(
          arrived.stream().anyMatch(file -> file.getFileName().toString().matches("snapshot[^m]*")),
          arrived::toString);
      assertTrue(
          arrived.stream().anyMatch(file -> file.toString().endsWith(".md5")), arrived::toString);
      assertTrue(arrived.stream().allMatch(file -> file.startsWith(storage.resolve("tmp"))));
      assertTrue(names.contains(storage), "its place");
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }
}
