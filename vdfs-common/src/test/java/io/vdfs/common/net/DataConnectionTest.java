package io.vdfs.common.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.wire.FrameType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a connection counts as dead that nobody has closed. */
class DataConnectionTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final DataAddress ADDRESS = new DataAddress("n", 1);

  private final Counters<NetCounter> counters = new Counters<>(NetCounter.class);
  private final List<String> ends = new ArrayList<>();
  private long now = 77;
  private EmbeddedChannel channel;
  private DataConnection connection;
  private DataStream stream;

  @BeforeEach
  void connect() {
    StreamDispatcher dispatcher = new StreamDispatcher(ADDRESS, counters, () -> now);
    channel = new EmbeddedChannel(dispatcher);
    channel.freezeTime();
    // connecting takes long
    pass(3);
    connection = new DataConnection(channel, ADDRESS, dispatcher);
    stream =
        connection.open(
            new StreamListener() {
              @Override
              public void onFrame(Frame frame) {
                // answers matter only to the connection
              }

              @Override
              public void onDisconnected(VdfsException cause) {
                ends.add(cause.getMessage());
              }
            });
  }

  private void pass(long seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runPendingTasks();
  }

  /** A frame of some stream comes. */
  private void receive() {
    channel.writeInbound(
        new Frame(FrameType.READ_DATA, 99, ByteString.EMPTY, Unpooled.EMPTY_BUFFER));
  }

  @Test
  void shouldNotBeSharedFurtherWhenNothingCame() {
    pass(10);
    connection.onUnanswered(LIMIT);
    assertFalse(connection.isUsable());

    pass(169);
    assertTrue(connection.isOpen(), "another one waits still");
    assertEquals(List.of(), ends);
    pass(1);
    assertFalse(connection.isOpen());
    assertEquals(1, ends.size());
    assertTrue(ends.get(0).contains("nothing came for 180000 ms"), ends.get(0));
    assertEquals(1, counters.get(NetCounter.CLOSED_SILENT));
  }

  @Test
  void shouldBeClosedOnceNobodyWaitsForItsAnswers() {
    pass(10);
    connection.onUnanswered(LIMIT);
    pass(25);
    assertTrue(connection.isOpen());
    stream.end();
    pass(10);

    assertFalse(connection.isOpen());
    assertEquals(List.of(), ends);
    assertEquals(1, counters.get(NetCounter.CLOSED_SILENT));
  }

  @Test
  void shouldStayWhenItIsYoungerThanTheRequest() {
    pass(9);
    connection.onUnanswered(LIMIT);

    assertTrue(connection.isUsable());
  }

  @Test
  void shouldStayWhenOtherStreamsWereAnswered() {
    pass(9);
    receive();
    pass(9);
    connection.onUnanswered(LIMIT);

    assertTrue(connection.isUsable());
    pass(100);
    assertTrue(connection.isUsable(), "an idle connection is as good as any");
  }

  @Test
  void shouldNotBeClosedAsLongAsSomethingComes() {
    stream.end();
    pass(10);
    connection.onUnanswered(LIMIT);
    for (int times = 0; times < 5; times++) {
      pass(9);
      receive();
      connection.onUnanswered(LIMIT);
    }
    assertTrue(connection.isOpen());
    assertFalse(connection.isUsable(), "another one may be in its place");

    pass(9);
    assertTrue(connection.isOpen());
    pass(1);
    assertFalse(connection.isOpen());
    assertEquals(1, counters.get(NetCounter.CLOSED_SILENT));
  }

  @Test
  void shouldNotCountAsSilentWhenItWasClosedBefore() {
    pass(10);
    connection.onUnanswered(LIMIT);
    connection.close();
    pass(20);

    assertEquals(1, ends.size());
    assertEquals(0, counters.get(NetCounter.CLOSED_SILENT));
  }
}
