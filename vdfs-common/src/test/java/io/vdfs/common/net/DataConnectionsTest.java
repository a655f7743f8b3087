package io.vdfs.common.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.wire.proto.ReplicaRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections to a port that takes them and never says anything. */
@Timeout(60)
class DataConnectionsTest {
  private static final Duration LIMIT = Duration.ofMillis(100);
  private static final ReplicaRequest QUESTION =
      ReplicaRequest.newBuilder().setVisibleLength(true).build();

  private final Counters<NetCounter> counters = new Counters<>(NetCounter.class);
  private final DataConnections connections = new DataConnections(Duration.ofSeconds(5), counters);
  private ServerSocket mute;
  private DataAddress address;

  @BeforeEach
  void listen() throws IOException {
    mute = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    address = new DataAddress("127.0.0.1", mute.getLocalPort());
  }

  @AfterEach
  void close() throws IOException {
    connections.close();
    mute.close();
  }

  private DataConnection shared() {
    return connections.shared(address).join();
  }

  @Test
  void shouldShareAnotherConnectionAfterAQuestionThatNothingCameFor() throws Exception {
    DataConnection silent = shared();
    assertSame(silent, shared());

    CompletableFuture<?> answer = new ReplicaCalls(connections, LIMIT).call(address, QUESTION);
    CompletionException late = assertThrows(CompletionException.class, answer::join);

    VdfsException failure = assertInstanceOf(VdfsException.class, late.getCause());
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    DataConnection fresh = shared();
    assertNotSame(silent, fresh);
    assertEquals(2, counters.get(NetCounter.CONNECTIONS_OPENED));
    awaitClosed(silent);
    assertEquals(1, counters.get(NetCounter.CLOSED_SILENT));
    assertSame(fresh, shared());
    assertTrue(fresh.isOpen());
  }

  @Test
  void shouldKeepAConnectionThatIsYoungerThanTheQuestion() {
    DataConnection young = shared();
    young.onUnanswered(Duration.ofMinutes(1));

    assertSame(young, shared());
  }

  private static void awaitClosed(DataConnection connection) {
    long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (connection.isOpen()) {
      assertTrue(System.nanoTime() < limit, "still open");
      Thread.onSpinWait();
    }
  }
}
