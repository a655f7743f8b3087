package io.vdfs.cli.balance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.TestLines;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.client.ledger.BlockTotals;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StoppedTask;
import io.vdfs.client.ledger.StreamPlan;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamsCommandTest {
  private static final int TASKS = 4;
  private static final int GROUP_BLOCKS = FakeCluster.GEOMETRY.groupBlocks();

  private final FakeCluster cluster = new FakeCluster();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private VdfsClient client(int host) {
    return new FakeClient(cluster, FakeCluster.host(host)).client();
  }

  private int run(String... arguments) {
    out.reset();
    err.reset();
    return Commands.run(TestLines.all(conf -> client(0)), arguments, out, err);
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Of eight groups, dealt to the first node twice as often as to the other two. */
  private StreamId create(long id, String path) throws IOException {
    StreamId stream = new StreamId(5, id);
    List<NodeId> owners = IntStream.of(0, 1, 0, 2, 0, 1, 0, 2).mapToObj(cluster::node).toList();
    long bytes = (long) owners.size() * GROUP_BLOCKS * FakeCluster.GEOMETRY.blockSize();
    client(0)
        .ledger()
        .create(
            new StreamPlan(
                stream,
                new StreamPlan.Draws(TASKS, 0, false, true, true),
                FakeCluster.GEOMETRY,
                IntStream.range(0, FakeCluster.NODES)
                    .mapToObj(node -> new StreamPlan.Node(cluster.node(node), Set.of()))
                    .toList(),
                List.of(new StreamPlan.File(new FileKey(9, 1), bytes, path, owners))));
    return stream;
  }

  private void draw(StreamId stream, int task, int position, int host) throws IOException {
    RunQuestion next = RunQuestion.oneBlock(new StreamTask(stream, task), position);
    assertFalse(client(host).ledger().next(next).isEnd());
  }

  /** The second node's task takes its own four blocks, and then one of another node. */
  private StreamId createAndDraw() throws IOException {
    StreamId stream = create(1, "/in");
    draw(stream, 0, 0, 0);
    for (int position = 0; position < 5; position++) {
      draw(stream, 1, position, 1);
    }
    return stream;
  }

  @Test
  void shouldShowWhatIsLeftOnEachNodeAndWhichNodesTookTheRest() throws IOException {
    createAndDraw();

    assertEquals(ExitCodes.SOUND, run("streams"), text(err));

    String table = text(out);
    assertTrue(
        table.startsWith(
            "stream 00000000000000050000000000000001 of alice: 1 files from /in on, 10 of 16 blocks"
                + " left\n"),
        table);
    assertTrue(table.contains("tasks  4, 2 of them draw, 0 have ended"), table);
    assertRow(table, "n0:1001 1 7 1 0 0 +1.3 ");
    assertRow(table, "n1:1002 1 0 4 1 0 -1.2 ");
    assertRow(table, "n2:1003 0 3 0 0 1 -0.1 ");
    assertTrue(table.contains("left per node 3.3 blocks (|), one standard deviation 2.9"), table);
    assertTrue(table.contains("beyond it: 2 of 3 nodes"), table);
    assertFalse(table.contains("\u001b"), table);
  }

  private static void assertRow(String table, String row) {
    assertTrue(
        table.lines().anyMatch(line -> line.replaceAll(" +", " ").startsWith(row)),
        () -> "no row " + row + " in\n" + table);
  }

  @Test
  void shouldTellTheSameAsJson() throws IOException {
    createAndDraw();

    assertEquals(ExitCodes.SOUND, run("streams", "--json"), text(err));

    JsonNode stream = new ObjectMapper().readTree(text(out)).get("streams").get(0);
    assertEquals("00000000000000050000000000000001", stream.get("stream").asText());
    assertEquals("alice", stream.get("owner").asText());
    assertEquals("/in", stream.get("firstPath").asText());
    assertTrue(stream.get("complete").asBoolean());
    assertEquals(16, stream.get("blocks").asLong());
    assertEquals(10, stream.get("blocksLeft").asLong());
    assertEquals(2, stream.get("drawingTasks").asInt());
    assertEquals(10 / 3.0, stream.get("mean").asDouble(), 1e-9);
    assertEquals(3, stream.get("nodes").size());
    JsonNode second = stream.get("nodes").get(1);
    assertEquals("n1:1002", second.get("address").asText());
    assertEquals(0, second.get("blocksLeft").asLong());
    assertEquals(4, second.get("local").asLong());
    assertEquals(1, second.get("taken").asLong());
    assertTrue(second.get("beyond").asBoolean());
    assertFalse(stream.get("nodes").get(2).get("beyond").asBoolean());
  }

  @Test
  void shouldMarkTheMeanAndOneStandardDeviationAndColourWhatIsBeyond() throws IOException {
    createAndDraw();
    StringWriter terminal = new StringWriter();
    new StreamsTable(client(0).cluster(), client(0).ledger().list(false))
        .print(110, new PrintWriter(terminal));
    String text = terminal.toString();
    assertTrue(text.contains("\u001b[33m"), text);
    assertTrue(text.contains("\u001b[32m"), text);
    assertTrue(text.matches("(?s).*n0:1001[^\n]*#+\\[#+\\|#+\\]#+[^\n]*\n.*"), text);
  }

  @Test
  void shouldShowNoUserTheStreamsOfOthers() throws IOException {
    create(1, "/in");
    cluster.user("bob");
    create(2, "/bobs\u001b[2J");
    assertEquals(ExitCodes.SOUND, run("streams"), text(err));
    assertTrue(text(out).contains("/bobs?[2J"), "a terminal would obey: " + text(out));
    assertFalse(text(out).contains("alice"), text(out));
    cluster.user(FakeCluster.SUPERUSER);
    assertEquals(ExitCodes.SOUND, run("streams"), text(err));
    assertTrue(text(out).contains("of alice:"), text(out));
    assertTrue(text(out).contains("of bob:"), text(out));
    cluster.user("carol");
    assertEquals(ExitCodes.SOUND, run("streams"), text(err));
    assertEquals("no stream\n", text(out));
    assertEquals(ExitCodes.SOUND, run("streams", "--json"), text(err));
    assertEquals(0, new ObjectMapper().readTree(text(out)).get("streams").size());
  }

  @Test
  void shouldShowStreamsOfWhichAllTasksHaveEndedOnlyWhereAsked() throws IOException {
    StreamId stream = create(1, "/in");
    for (int task = 0; task < TASKS; task++) {
      client(0)
          .ledger()
          .stopTask(new StoppedTask(new StreamTask(stream, task), 0, BlockTotals.NONE));
    }
    assertEquals(ExitCodes.SOUND, run("streams"), text(err));
    assertEquals("no stream\n", text(out));
    assertEquals(ExitCodes.SOUND, run("streams", "--all"), text(err));
    assertTrue(text(out).contains("tasks  4, 0 of them draw, 4 have ended"), text(out));
    assertEquals(ExitCodes.SOUND, run("streams", "--all", "--watch"), text(err));
    assertTrue(text(out).contains("tasks  4, 0 of them draw, 4 have ended"), text(out));
  }

  @Test
  void shouldWatchUntilThereIsNoStream() throws Exception {
    StreamId stream = create(1, "/in");
    CountDownLatch shown = new CountDownLatch(2);
    ByteArrayOutputStream seen =
        new ByteArrayOutputStream() {
          @Override
          public synchronized void write(byte[] bytes, int from, int length) {
            super.write(bytes, from, length);
            if (new String(bytes, from, length, StandardCharsets.UTF_8).contains("blocksLeft")) {
              shown.countDown();
            }
          }
        };
    CompletableFuture<Integer> watch =
        CompletableFuture.supplyAsync(
            () ->
                Commands.run(
                    TestLines.all(conf -> client(0)),
                    new String[] {"streams", "--watch", "--json"},
                    seen,
                    err));
    assertTrue(shown.await(30, TimeUnit.SECONDS), () -> text(err));
    client(0).ledger().release(stream);
    assertEquals(ExitCodes.SOUND, watch.get(30, TimeUnit.SECONDS), text(err));

    List<String> looks = text(seen).lines().toList();
    assertTrue(looks.size() >= 3, text(seen));
    JsonNode last = new ObjectMapper().readTree(looks.get(looks.size() - 1));
    assertEquals(0, last.get("streams").size());
    assertTrue(last.get("millis").asLong() > 0);
    assertEquals(1, new ObjectMapper().readTree(looks.get(0)).get("streams").size());
  }

  @Test
  void shouldFailWhereNoNodeAnswers() {
    for (int node = 0; node < FakeCluster.NODES; node++) {
      cluster.fault(node, Fault.DEAD);
    }
    assertEquals(ExitCodes.FAILED, run("streams"));
    assertEquals(ExitCodes.FAILED, run("streams", "--watch"));
    assertEquals(ExitCodes.USAGE, run("streams", "/in"));
  }
}
