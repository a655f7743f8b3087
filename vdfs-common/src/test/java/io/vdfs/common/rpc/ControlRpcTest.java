package io.vdfs.common.rpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsResult;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControlRpcTest {
  private static final ControlClientSettings PATIENT =
      new ControlClientSettings(Duration.ofSeconds(5), Duration.ofSeconds(20));

  /** Twelve calls of one user, and one of the largest size. */
  private static final CallLimits LIMITS =
      new CallLimits(12, ControlMethods.MAX_BODY_BYTES + 1_000, 20, 10L << 20, 40);

  private final Queue held = new Queue();
  private final List<ControlClient> clients = new ArrayList<>();
  private ControlServer server;

  /** Calls that the test answers. */
  private static final class Queue {
    private final ConcurrentLinkedQueue<CompletableFuture<byte[]>> answers =
        new ConcurrentLinkedQueue<>();

    CompletableFuture<byte[]> hold() {
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      answers.add(answer);
      return answer;
    }

    void await(int count) {
      while (answers.size() < count) {
        Thread.onSpinWait();
      }
    }

    void answerAll(int count, byte[] body) {
      await(count);
      answers.forEach(answer -> answer.complete(body));
    }
  }

  @BeforeEach
  void serve() throws Exception {
    server = start(0, Duration.ofSeconds(2));
  }

  private ControlServer start(int port, Duration limit) throws VdfsException {
    return ControlServer.start(
        new Configuration(false),
        new ControlServerSettings("127.0.0.1", port, "vdfs.control.port", 2, limit, LIMITS),
        Map.of(
            "echo", call -> CompletableFuture.completedFuture(call.body()),
            "user",
                call ->
                    CompletableFuture.completedFuture(call.user().getUserName().getBytes(UTF_8)),
            "later", call -> held.hold(),
            "refuse",
                call -> {
                  throw new VdfsException(ErrorCode.FENCED, "refused: why=test");
                },
            "defect",
                call -> {
                  throw new IllegalStateException("planted");
                },
            "failing",
                call ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          throw new IllegalStateException("planted");
                        })));
  }

  @AfterEach
  void close() {
    clients.forEach(ControlClient::close);
    server.close();
  }

  private ControlClient client(String user) {
    return client(user, PATIENT);
  }

  private ControlClient client(String user, ControlClientSettings settings) {
    ControlClient client =
        new ControlClient(
            new Configuration(false), UserGroupInformation.createRemoteUser(user), settings);
    clients.add(client);
    return client;
  }

  private static MetaResponse error(byte[] body) throws IOException {
    MetaResponse response = MetaResponse.parseFrom(body);
    assertTrue(response.hasError(), () -> "no error: " + response);
    return response;
  }

  private static VdfsException failure(byte[] body) throws IOException {
    return WireIds.exception(error(body).getError());
  }

  @Test
  void shouldCarryMessagesOfOurOwnProtobuf() throws Exception {
    MetaResponse sent =
        MetaResponse.newBuilder().setMkdirs(MkdirsResult.newBuilder().setCreated(true)).build();
    assertEquals(sent, client("ann").call(server.address(), "echo", sent, MetaResponse.parser()));
  }

  @Test
  void shouldTellUsersApartOnOneServer() throws Exception {
    ControlClient ann = client("ann");
    ControlClient bob = client("bob");
    for (int i = 0; i < 3; i++) {
      assertEquals("ann", new String(ann.call(server.address(), "user", new byte[0]), UTF_8));
      assertEquals("bob", new String(bob.call(server.address(), "user", new byte[0]), UTF_8));
    }
  }

  @Test
  void shouldWorkBesideClientsOfOtherConfigurations() throws Exception {
    Configuration other = new Configuration(false);
    other.setInt("ipc.client.connect.timeout", 1);
    other.set("hadoop.rpc.socket.factory.class.default", "no.such.Factory");
    try (ControlClient odd =
        new ControlClient(other, UserGroupInformation.createRemoteUser("odd"), PATIENT)) {
      assertEquals("odd", new String(odd.call(server.address(), "user", new byte[0]), UTF_8));
    }
    assertEquals(
        "ann", new String(client("ann").call(server.address(), "user", new byte[0]), UTF_8));
  }

  @Test
  void shouldCarryBodiesUpToTheLimitAndRefuseLargerOnes() throws Exception {
    byte[] largest = new byte[ControlMethods.MAX_BODY_BYTES];
    new Random(1).nextBytes(largest);
    assertArrayEquals(largest, client("ann").call(server.address(), "echo", largest));
    VdfsException refused =
        assertThrows(
            VdfsException.class,
            () -> client("ann").call(server.address(), "echo", new byte[largest.length + 1]));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
  }

  @Test
  void shouldAnswerManyHeldCallsWithFewHandlers() throws Exception {
    ControlClient client = client("ann");
    List<CompletableFuture<byte[]>> calls = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      CompletableFuture<byte[]> result = new CompletableFuture<>();
      calls.add(result);
      Thread thread =
          new Thread(
              () -> {
                try {
                  result.complete(client.call(server.address(), "later", new byte[0]));
                } catch (VdfsException e) {
                  result.completeExceptionally(e);
                }
              });
      thread.start();
      threads.add(thread);
    }
    held.answerAll(10, "done".getBytes(UTF_8));
    for (CompletableFuture<byte[]> call : calls) {
      assertEquals("done", new String(call.get(), UTF_8));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertArrayEquals(new byte[] {7}, client.call(server.address(), "echo", new byte[] {7}));
  }

  @Test
  void shouldAnswerInTimeWhenTheHandlerDoesNot() throws Exception {
    VdfsException failure = failure(client("ann").call(server.address(), "later", new byte[0]));
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
  }

  @Test
  void shouldAnswerRefusalsAndDefectsAsErrors() throws Exception {
    ControlClient client = client("ann");
    assertEquals(
        ErrorCode.FENCED, failure(client.call(server.address(), "refuse", new byte[0])).code());
    assertEquals(
        ErrorCode.INTERNAL, failure(client.call(server.address(), "defect", new byte[0])).code());
    assertEquals(
        ErrorCode.INTERNAL, failure(client.call(server.address(), "failing", new byte[0])).code());
    assertEquals(
        ErrorCode.UNSUPPORTED, failure(client.call(server.address(), "none", new byte[0])).code());
    assertArrayEquals(new byte[] {7}, client.call(server.address(), "echo", new byte[] {7}));
  }

  @Test
  void shouldOutliveHostileBytes() throws Exception {
    Random random = new Random(7);
    List<byte[]> attacks = new ArrayList<>();
    attacks.add("GET / HTTP/1.1\r\n\r\n".getBytes(UTF_8));
    attacks.add(new byte[] {'h', 'r', 'p', 'c', 9, 0, 0, 0x7f, -1, -1, -1});
    attacks.add(new byte[] {'h', 'r', 'p', 'c', 9, 0, 0, -1, -1, -1, -1});
    attacks.add(new byte[] {'h', 'r', 'p', 'c', 9, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4});
    for (int i = 0; i < 20; i++) {
      byte[] noise = new byte[200];
      random.nextBytes(noise);
      attacks.add(noise);
    }
    for (byte[] attack : attacks) {
      try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
        OutputStream out = socket.getOutputStream();
        out.write(attack);
        out.flush();
      }
    }
    assertArrayEquals(new byte[] {7}, client("ann").call(server.address(), "echo", new byte[] {7}));
  }

  /** before: 260 connections that announce four megabytes took all memory of a default daemon. */
  @Test
  void shouldCutOffAClientThatAnnouncesMoreThanTheLargestCall() throws Exception {
    byte[] greeting = {'h', 'r', 'p', 'c', 9, 0, 0};
    byte[] attack =
        ByteBuffer.allocate(11).put(greeting).putInt(CallLimits.MAX_CALL_BYTES + 1).array();
    try (Socket socket = new Socket(server.address().getAddress(), server.address().getPort())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(attack);
      assertEquals(-1, socket.getInputStream().read());
    }
  }

  /** before: as many as the process could have open, each with room for a call. */
  @Test
  void shouldRefuseConnectionsBeyondTheLimit() throws Exception {
    List<Socket> open = new ArrayList<>();
    try {
      for (int n = 0; n <= LIMITS.connections(); n++) {
        open.add(new Socket(server.address().getAddress(), server.address().getPort()));
      }
      Socket last = open.get(LIMITS.connections());
      last.setSoTimeout(20_000);
      assertEquals(-1, last.getInputStream().read());
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  /** before: a user's calls held as much memory as it liked, and the places of all others. */
  @Test
  void shouldLetOthersInWhenAUserHasTooManyCallsUnderWay() throws Exception {
    ControlClient mallory = client("mallory");
    List<Thread> threads = new ArrayList<>();
    for (int n = 0; n < LIMITS.userCalls(); n++) {
      Thread thread =
          new Thread(
              () -> assertDoesNotThrow(() -> mallory.call(server.address(), "later", new byte[0])));
      thread.start();
      threads.add(thread);
    }
    held.await(LIMITS.userCalls());
    assertEquals(
        ErrorCode.UNAVAILABLE, failure(mallory.call(server.address(), "echo", new byte[0])).code());
    assertArrayEquals(new byte[] {7}, client("ann").call(server.address(), "echo", new byte[] {7}));
    held.answerAll(LIMITS.userCalls(), new byte[0]);
    for (Thread thread : threads) {
      thread.join();
    }
    assertArrayEquals(new byte[] {7}, mallory.call(server.address(), "echo", new byte[] {7}));
  }

  @Test
  void shouldReportAnAnswerThatMakesNoSense() throws Exception {
    MetaRequest request =
        MetaRequest.newBuilder()
            .setCallId(CallIdProto.newBuilder().setClientId(ByteString.copyFromUtf8("x")))
            .build();
    VdfsException failure =
        assertThrows(
            VdfsException.class,
            () ->
                client("ann\u00e4").call(server.address(), "user", request, MetaRequest.parser()));
    assertEquals(ErrorCode.INTERNAL, failure.code());
  }

  @Test
  void shouldNoticeADeadServerAtOnceAndReconnectLater() throws Exception {
    ControlClient client = client("ann");
    InetSocketAddress address = server.address();
    assertArrayEquals(new byte[] {7}, client.call(address, "echo", new byte[] {7}));
    server.close();
    long began = System.nanoTime();
    VdfsException dead =
        assertThrows(VdfsException.class, () -> client.call(address, "echo", new byte[0]));
    assertEquals(ErrorCode.UNAVAILABLE, dead.code());
    assertTrue(dead.getMessage().contains(String.valueOf(address.getPort())), dead.getMessage());
    assertTrue(System.nanoTime() - began < Duration.ofSeconds(10).toNanos());
    server = start(address.getPort(), Duration.ofSeconds(2));
    assertArrayEquals(new byte[] {8}, client.call(address, "echo", new byte[] {8}));
  }

  @Test
  void shouldGiveUpOnAServerThatIsSilent() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      ControlClient client =
          client("ann", new ControlClientSettings(Duration.ofSeconds(2), Duration.ofMillis(700)));
      VdfsException failure =
          assertThrows(
              VdfsException.class,
              () ->
                  client.call(
                      new InetSocketAddress(
                          InetAddress.getLoopbackAddress(), silent.getLocalPort()),
                      "echo",
                      new byte[0]));
      assertEquals(ErrorCode.UNAVAILABLE, failure.code());
    }
  }

  @Test
  void shouldNameAddressPortAndKeyWhenThePortIsTaken() {
    VdfsException taken =
        assertThrows(
            VdfsException.class, () -> start(server.address().getPort(), Duration.ofSeconds(1)));
    assertEquals(ErrorCode.MISCONFIGURED, taken.code());
    assertEquals(1, taken.getMessage().lines().count());
    assertTrue(taken.getMessage().contains("127.0.0.1"), taken.getMessage());
    assertTrue(
        taken.getMessage().contains("port=" + server.address().getPort()), taken.getMessage());
    assertTrue(taken.getMessage().contains("vdfs.control.port"), taken.getMessage());
  }

  @Test
  void shouldRefuseCallsOfAClosedClient() {
    ControlClient client = client("ann");
    client.close();
    VdfsException failure =
        assertThrows(VdfsException.class, () -> client.call(server.address(), "echo", new byte[0]));
    assertEquals(ErrorCode.UNAVAILABLE, failure.code());
  }

  /** As Hadoop's administrators know it: the daemon's configuration decides, not the caller. */
  @Test
  void shouldLetProxiesSpeakForWhomTheConfigurationAllows() throws Exception {
    Configuration configuration = new Configuration(false);
    configuration.set("hadoop.proxyuser.oozie.hosts", "127.0.0.1");
    configuration.set("hadoop.proxyuser.oozie.users", "ann");
    configuration.set("hadoop.proxyuser.faraway.hosts", "192.0.2.1");
    configuration.set("hadoop.proxyuser.faraway.users", "ann");
    try (ControlServer strict =
        ControlServer.start(
            configuration,
            ControlServerSettings.of("127.0.0.1", 0, "vdfs.control.port"),
            Map.of(
                "who",
                call ->
                    CompletableFuture.completedFuture(
                        (call.user().getShortUserName()
                                + " by "
                                + call.user().getRealUser().getShortUserName())
                            .getBytes(UTF_8))))) {
      assertEquals("ann by oozie", who(strict, "ann", "oozie"));
      for (String[] refused :
          new String[][] {{"bob", "oozie"}, {"ann", "faraway"}, {"ann", "mallory"}}) {
        VdfsException denied =
            assertThrows(VdfsException.class, () -> who(strict, refused[0], refused[1]));
        assertEquals(ErrorCode.PERMISSION_DENIED, denied.code(), denied.getMessage());
      }
    }
  }

  private static String who(ControlServer server, String user, String proxy) throws VdfsException {
    UserGroupInformation identity =
        UserGroupInformation.createProxyUser(user, UserGroupInformation.createRemoteUser(proxy));
    try (ControlClient client = new ControlClient(new Configuration(false), identity, PATIENT)) {
      return new String(client.call(server.address(), "who", new byte[0]), UTF_8);
    }
  }
}
