package io.vdfs.cli.node;

import static io.vdfs.client.fake.FakeCluster.Fault.MUTE;
import static io.vdfs.client.fake.FakeCluster.Fault.NONE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.SuperuserLine;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.common.wire.proto.ScrubBegunProto;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How an operator has nodes read back what they hold. */
@Timeout(60)
class ScrubCommandTest {
  private final FakeCluster cluster = new FakeCluster();
  private final SuperuserLine line = new SuperuserLine(cluster);

  /** Nodes whose pass is over at the third look, and the first of which finds damage. */
  private void scrubbing() {
    AtomicLong looks = new AtomicLong();
    cluster.onRepair(
        (node, request) -> {
          assertTrue(request.getScrub());
          return NodeRepairResponse.newBuilder()
              .setScrub(
                  ScrubBegunProto.newBuilder()
                      .setPasses(2)
                      .setGroups(100)
                      .setBytes(1_000)
                      .setDamaged(5)
                      .setHeld(3_000_000_000L))
              .build();
        });
    cluster.counters(
        node ->
            Map.of(
                "scrub.passes",
                looks.incrementAndGet() > 6 ? 3L : 2L,
                "scrub.groups",
                100 + looks.get(),
                "scrub.bytes",
                1_000 + looks.get() * 100_000_000,
                "scrub.damaged",
                node == 0 ? 7L : 5L));
  }

  private int scrub(String... nodes) {
    return line.runAlone(
        new ScrubCommand(new Clusters(conf -> line.client()), Duration.ZERO),
        Stream.concat(Stream.of("scrub"), Stream.of(nodes)).toArray(String[]::new));
  }

  @Test
  void shouldHaveNodesScrubAndTellWhatTheyFound() throws IOException {
    scrubbing();
    assertEquals(ExitCodes.DEGRADED, scrub(), line::output);
    List<String> lines = line.output().lines().toList();
    assertEquals(3, lines.size(), line.output());
    assertTrue(
        lines.get(0).matches("n0:1001 +\\d+ groups of .* GB read back, 2 damaged, 0 .*"),
        line.output());
    assertTrue(lines.get(1).contains(", 0 damaged, "), line.output());

    scrubbing();
    assertEquals(ExitCodes.SOUND, scrub("n1", "n2:1003"), line::output);
    assertEquals(2, line.output().lines().count());
    scrubbing();
    String id = cluster.node(0).toString();
    assertEquals(ExitCodes.DEGRADED, scrub("--json", id), line::output);
    JsonNode told = new ObjectMapper().readTree(line.output());
    assertEquals(1, told.path("nodes").size());
    assertEquals(id, told.at("/nodes/0/id").asText());
    assertEquals(2, told.at("/nodes/0/damagedGroups").asInt());
    assertTrue(told.at("/nodes/0/done").asBoolean());
    assertEquals(ExitCodes.DEGRADED, told.path("exitCode").asInt());
  }

  @Test
  void shouldSayWhichNodesDidNotScrub() {
    scrubbing();
    cluster.fault(2, Fault.DEAD);
    assertEquals(ExitCodes.DEGRADED, scrub("n1", "n2"), line::output);
    assertTrue(line.output().contains("n2:1003"), line.output());
    assertTrue(line.output().contains("not done: "), line.output());
    scrubbing();
    assertEquals(ExitCodes.FAILED, scrub("n2"), line::output);
    assertEquals(ExitCodes.FAILED, scrub("n1", "n7"), line::output);
    assertTrue(line.output().contains("no node is called so: name=n7;"), line.output());
    assertTrue(line.output().contains("n2:1003 ("), line.output());
    cluster.user("alice");
    assertEquals(ExitCodes.FAILED, scrub(), line::output);
    assertTrue(line.output().contains("only a superuser"), line.output());
  }

  @Test
  void shouldSayThatANodeStartedAnewWhileItScrubbed() {
    scrubbing();
    cluster.counters(node -> Map.of("scrub.passes", 9L, "scrub.groups", 3L));
    assertEquals(ExitCodes.FAILED, scrub("n0"), line::output);
    assertTrue(
        line.output().contains("not done: the node was started again meanwhile"), line.output());
  }

  @Test
  void shouldWaitForANodeThatDoesNotAnswerForAWhile() {
    AtomicLong looks = new AtomicLong();
    cluster.onRepair(
        (node, request) -> {
          cluster.fault(node, MUTE);
          return NodeRepairResponse.newBuilder().setScrub(ScrubBegunProto.newBuilder()).build();
        });
    cluster.counters(
        node -> {
          cluster.fault(node, looks.incrementAndGet() % NodeScrub.LOOKS == 4 ? NONE : MUTE);
          return Map.of("scrub.passes", looks.get() > 7 ? 1L : 0L, "scrub.groups", 7L);
        });
    assertEquals(ExitCodes.SOUND, scrub("n0"), line::output);
    assertEquals(10, looks.get(), "the tenth look saw the end");
  }

  @Test
  void shouldGiveUpANodeThatAnswersNoMore() {
    AtomicLong looks = new AtomicLong();
    cluster.onRepair(
        (node, request) -> {
          cluster.fault(0, MUTE);
          return NodeRepairResponse.newBuilder().setScrub(ScrubBegunProto.newBuilder()).build();
        });
    cluster.counters(
        node -> Map.of("scrub.passes", node == 1 || looks.incrementAndGet() > 99 ? 1L : 0L));
    assertEquals(ExitCodes.DEGRADED, scrub("n0", "n1"), line::output);
    assertEquals(5, looks.get());
    assertTrue(
        line.output().contains("not done: 5 looks in a row unanswered: no answer in time"),
        line.output());
    assertEquals(ExitCodes.FAILED, scrub("n0"), line::output);
  }
}
