package io.vdfs.cli.node;

import static io.vdfs.client.fake.FakeCluster.Fault.MUTE;
import static io.vdfs.client.fake.FakeCluster.Fault.NONE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.TestLines;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.common.wire.proto.ScrubBegunProto;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How an operator has nodes read back what they hold. */
@Timeout(60)
class ScrubCommandTest {
  private final FakeCluster cluster = new FakeCluster();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @BeforeEach
  void beSuperuser() {
    cluster.user(FakeCluster.SUPERUSER);
  }

  private VdfsClient client() {
    return new FakeClient(cluster, "x").client();
  }

  private String output() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

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
    bytes.reset();
    return Commands.run(
        TestLines.alone(new ScrubCommand(new Clusters(conf -> client()), Duration.ZERO)),
        Stream.concat(Stream.of("scrub"), Stream.of(nodes)).toArray(String[]::new),
        bytes,
        bytes);
  }

  @Test
  void shouldHaveNodesScrubAndTellWhatTheyFound() throws IOException {
    scrubbing();
    assertEquals(ExitCodes.DEGRADED, scrub(), this::output);
    List<String> lines = output().lines().toList();
    assertEquals(3, lines.size(), output());
    assertTrue(
        lines.get(0).matches("n0:1001 +\\d+ groups of .* GB read back, 2 damaged, 0 .*"), output());
    assertTrue(lines.get(1).contains(", 0 damaged, "), output());

    scrubbing();
    assertEquals(ExitCodes.SOUND, scrub("n1", "n2:1003"), this::output);
    assertEquals(2, output().lines().count());
    scrubbing();
    String id = cluster.node(0).toString();
    assertEquals(ExitCodes.DEGRADED, scrub("--json", id), this::output);
    JsonNode told = new ObjectMapper().readTree(output());
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
    assertEquals(ExitCodes.DEGRADED, scrub("n1", "n2"), this::output);
    assertTrue(output().contains("n2:1003"), output());
    assertTrue(output().contains("not done: "), output());
    scrubbing();
    assertEquals(ExitCodes.FAILED, scrub("n2"), this::output);
    assertEquals(ExitCodes.FAILED, scrub("n1", "n7"), this::output);
    assertTrue(output().contains("no node is called so: name=n7;"), output());
    assertTrue(output().contains("n2:1003 ("), output());
    cluster.user("alice");
    assertEquals(ExitCodes.FAILED, scrub(), this::output);
    assertTrue(output().contains("only a superuser"), output());
  }

  @Test
  void shouldSayThatANodeStartedAnewWhileItScrubbed() {
    scrubbing();
    cluster.counters(node -> Map.of("scrub.passes", 9L, "scrub.groups", 3L));
    assertEquals(ExitCodes.FAILED, scrub("n0"), this::output);
    assertTrue(output().contains("not done: the node was started again meanwhile"), output());
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
    assertEquals(ExitCodes.SOUND, scrub("n0"), this::output);
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
    assertEquals(ExitCodes.DEGRADED, scrub("n0", "n1"), this::output);
    assertEquals(5, looks.get());
    assertTrue(
        output().contains("not done: 5 looks in a row unanswered: no answer in time"), output());
    assertEquals(ExitCodes.FAILED, scrub("n0"), this::output);
  }
}
