package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.raft.batch.BatchCodec;
import io.vdfs.datanode.meta.raft.port.Handshakes;
import io.vdfs.datanode.meta.raft.port.RaftPort;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.ClientMessageEntryProto;
import org.apache.ratis.proto.RaftProtos.FileChunkProto;
import org.apache.ratis.proto.RaftProtos.GroupManagementRequestProto;
import org.apache.ratis.proto.RaftProtos.GroupRemoveRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.SnapshotChunkProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftClientRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.SetConfigurationRequestProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.proto.RaftProtos.WriteRequestTypeProto;
import org.apache.ratis.proto.grpc.AdminProtocolServiceGrpc;
import org.apache.ratis.proto.grpc.RaftClientProtocolServiceGrpc;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.io.grpc.CallOptions;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.apache.ratis.thirdparty.io.grpc.stub.ClientCalls;
import org.apache.ratis.thirdparty.io.grpc.stub.StreamObserver;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Attacks on a metadata group by a process that can connect to its members' Raft ports. */
@Timeout(60)
class RaftPortAttackTest {
  private static final List<String> PATHS = List.of("/kept", "/and-kept");
  private static final int HUGE = 48 << 20;

  @TempDir(factory = InMemory.class)
  static Path directory;

  private static TestGroup group;
  private static GroupConfiguration members;

  /** A caller that is no member. */
  private enum Attacker {
    PLAIN {
      @Override
      ManagedChannel connect(int member) {
        return RaftClients.plain(group, member);
      }
    },
    WITHOUT_CERTIFICATE {
      @Override
      ManagedChannel connect(int member) throws SSLException {
        return RaftClients.withoutCertificate(group, member);
      }
    },
    WITH_ANOTHER_CLUSTERS_KEY {
      @Override
      ManagedChannel connect(int member) throws SSLException {
        return RaftClients.withAnotherKey(group, member);
      }
    };

    abstract ManagedChannel connect(int member) throws SSLException;
  }

  /** A request to a member; returns its answer. */
  private enum Deed {
    /** Before: the member's directory was gone, with log and snapshots. */
    REMOVE_THE_GROUP {
      @Override
      Object carryOut(ManagedChannel channel, int victim) {
        return call(
            channel,
            AdminProtocolServiceGrpc.getGroupManagementMethod(),
            GroupManagementRequestProto.newBuilder()
                .setRpcRequest(from(client(), victim))
                .setGroupRemove(
                    GroupRemoveRequestProto.newBuilder()
                        .setGroupId(groupId())
                        .setDeleteDirectory(true))
                .build());
      }
    },
    /** Before: the group had one member left, of the attacker's choice. */
    CHANGE_THE_MEMBERS {
      @Override
      Object carryOut(ManagedChannel channel, int victim) {
        return call(
            channel,
            AdminProtocolServiceGrpc.getSetConfigurationMethod(),
            SetConfigurationRequestProto.newBuilder()
                .setRpcRequest(from(client(), victim))
                .addPeers(
                    RaftPeerProto.newBuilder()
                        .setId(peer(victim))
                        .setAddress(group.members.get(victim).address()))
                .build());
      }
    },
    /** Before: the member carried out what no leader had asked for, and the leader fell. */
    APPEND_AN_ENTRY {
      @Override
      Object carryOut(ManagedChannel channel, int victim) {
        return call(
            channel,
            RaftServerProtocolServiceGrpc.getAppendEntriesMethod(),
            forgedEntry(victim, mutation()));
      }
    },
    /** Before: 48 MiB were taken in and kept in memory until the log refused them. */
    APPEND_A_HUGE_ENTRY {
      @Override
      Object carryOut(ManagedChannel channel, int victim) {
        return call(
            channel,
            RaftServerProtocolServiceGrpc.getAppendEntriesMethod(),
            forgedEntry(victim, ByteString.copyFrom(new byte[HUGE])));
      }
    },
    /** Before: a file of the attacker's choice lay outside the member's directory. */
    PLANT_A_FILE_BY_SNAPSHOT {
      @Override
      Object carryOut(ManagedChannel channel, int victim) {
        // the first makes the directory that the second leaves again
        install(channel, victim, "");
        return install(channel, victim, "/../../../../../planted");
      }
    },
    /** Before: the request reached the state machine, which was not made for it. */
    SEND_A_REQUEST_AS_CLIENT {
      @Override
      Object carryOut(ManagedChannel channel, int victim) {
        return call(
            channel,
            RaftClientProtocolServiceGrpc.getUnorderedMethod(),
            RaftClientRequestProto.newBuilder()
                .setRpcRequest(from(client(), victim))
                .setMessage(ClientMessageEntryProto.newBuilder().setContent(mutation()))
                .setWrite(WriteRequestTypeProto.getDefaultInstance())
                .build());
      }
    };

    abstract Object carryOut(ManagedChannel channel, int victim);
  }

  @BeforeAll
  static void start() throws Exception {
    group = new TestGroup(directory, 3, TestGroup.quick()).startAll();
    PATHS.forEach(group::make);
    group.awaitEqualStates(PATHS);
    members = group.member(group.leader()).status().configuration();
  }

  @AfterAll
  static void close() {
    group.close();
  }

  @AfterEach
  void requireWhole() throws IOException {
    assertTrue(group.make("/later").getMkdirs().getCreated());
    group.awaitEqualStates(group.states.get(group.leader()).paths());
    for (int member = 0; member < 3; member++) {
      List<String> paths = group.states.get(member).paths();
      assertEquals(PATHS, paths.subList(0, PATHS.size()));
      assertFalse(paths.contains("/invented"), paths::toString);
      assertTrue(Files.isDirectory(group.storageOf(member)));
      assertEquals(members.members(), group.member(member).status().configuration().members());
      assertTrue(group.member(member).term() < 1_000);
    }
    try (Stream<Path> files = Files.walk(directory)) {
      assertEquals(List.of(), files.filter(file -> file.toString().contains("planted")).toList());
    }
    assertTrue(group.failures.isEmpty(), group.failures::toString);
  }

  @TestFactory
  Stream<DynamicTest> shouldRefuseWhoHasNotTheKey() {
    return Stream.of(Attacker.values())
        .flatMap(
            attacker ->
                Stream.of(Deed.values())
                    .map(
                        deed ->
                            DynamicTest.dynamicTest(
                                attacker + ": " + deed, () -> assertRefused(attacker, deed))));
  }

  private void assertRefused(Attacker attacker, Deed deed) throws IOException {
    int victim = group.leader();
    long refused = group.counters.get(GroupCounter.REFUSED_PEERS);
    ManagedChannel channel = attacker.connect(victim);
    try {
      StatusRuntimeException refusal =
          assertThrows(StatusRuntimeException.class, () -> deed.carryOut(channel, victim));
      assertEquals(Status.Code.UNAVAILABLE, refusal.getStatus().getCode(), refusal::toString);
      TestGroup.await(
          "the refusal to be counted",
          () -> group.counters.get(GroupCounter.REFUSED_PEERS) > refused);
    } finally {
      channel.shutdownNow();
    }
    requireWhole();
  }

  /** Before: every caller could; now not even a member can, as none needs to. */
  @Test
  void shouldServeNeitherClientsNorAdministrators() {
    ManagedChannel channel = RaftClients.asMember(group, group.leader());
    try {
      List<MethodDescriptor<?, ?>> methods = new ArrayList<>();
      methods.addAll(AdminProtocolServiceGrpc.getServiceDescriptor().getMethods());
      methods.addAll(RaftClientProtocolServiceGrpc.getServiceDescriptor().getMethods());
      assertEquals(9, methods.size());
      for (MethodDescriptor<?, ?> method : methods) {
        StatusRuntimeException refusal =
            assertThrows(StatusRuntimeException.class, () -> callEmpty(channel, method));
        assertEquals(
            Status.Code.PERMISSION_DENIED, refusal.getStatus().getCode(), refusal::toString);
      }
    } finally {
      channel.shutdownNow();
    }
  }

  /** Before: 48 MiB for a log whose largest entry is 64 KiB. */
  @Test
  void shouldTakeNoMoreThanTheLargestEntryAtOnce() {
    int victim = group.leader();
    ManagedChannel channel = RaftClients.asMember(group, victim);
    try {
      StatusRuntimeException refusal =
          assertThrows(
              StatusRuntimeException.class,
              () -> Deed.APPEND_A_HUGE_ENTRY.carryOut(channel, victim));
      assertEquals(
          Status.Code.RESOURCE_EXHAUSTED, refusal.getStatus().getCode(), refusal::toString);
      assertTrue(
          refusal.getMessage().contains(Integer.toString((64 + 4 + 64) << 10)),
          refusal::getMessage);
    } finally {
      channel.shutdownNow();
    }
  }

  /** Before: any number of silent connections stayed for two minutes. */
  @Test
  void shouldBoundConnectionsThatProveNothing() throws Exception {
    int tooMany = 8;
    MetadataMember victim = group.members.get(group.leader());
    List<SocketChannel> silent = new ArrayList<>();
    try {
      long began = System.nanoTime();
      for (int i = 0; i < Handshakes.OF_HOST + tooMany; i++) {
        SocketChannel socket =
            SocketChannel.open(new InetSocketAddress(victim.host(), victim.raftPort()));
        socket.configureBlocking(false);
        silent.add(socket);
      }
      TestGroup.await("those that are too many to be closed", () -> closed(silent) >= tooMany);
      long turnedAway = System.nanoTime() - began;
      assertTrue(
          turnedAway < RaftPort.HANDSHAKE_LIMIT.toNanos(),
          () -> "all stayed until they were too late: nanos=" + turnedAway);
      TestGroup.await("the silent ones to be closed", () -> closed(silent) == silent.size());
    } finally {
      for (SocketChannel socket : silent) {
        socket.close();
      }
    }
  }

  private static long closed(List<SocketChannel> sockets) {
    return sockets.stream().filter(RaftPortAttackTest::isAtEnd).count();
  }

  private static boolean isAtEnd(SocketChannel socket) {
    try {
      return socket.read(ByteBuffer.allocate(1_024)) < 0;
    } catch (IOException e) {
      return true; // it was reset
    }
  }

  private static <Q, A> A call(ManagedChannel channel, MethodDescriptor<Q, A> method, Q request) {
    CallOptions limited = CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS);
    if (method.getType() == MethodDescriptor.MethodType.UNARY) {
      return ClientCalls.blockingUnaryCall(channel, method, limited, request);
    }
    FirstAnswer<A> answer = new FirstAnswer<>();
    ClientCalls.asyncBidiStreamingCall(channel.newCall(method, limited), answer).onNext(request);
    return answer.get();
  }

  /** The first answer to a stream, or its failure. */
  private static final class FirstAnswer<A> implements StreamObserver<A> {
    private final CompletableFuture<A> answer = new CompletableFuture<>();

    A get() {
      try {
        return answer.join();
      } catch (CompletionException e) {
        throw (StatusRuntimeException) e.getCause();
      }
    }

    @Override
    public void onNext(A value) {
      answer.complete(value);
    }

    @Override
    public void onError(Throwable failure) {
      answer.completeExceptionally(failure);
    }

    @Override
    public void onCompleted() {
      answer.completeExceptionally(Status.CANCELLED.asRuntimeException());
    }
  }

  private static <Q, A> A callEmpty(ManagedChannel channel, MethodDescriptor<Q, A> method) {
    return call(channel, method, method.parseRequest(ByteString.EMPTY.newInput()));
  }

  private static Object install(ManagedChannel channel, int victim, String id) {
    return call(
        channel,
        RaftServerProtocolServiceGrpc.getInstallSnapshotMethod(),
        InstallSnapshotRequestProto.newBuilder()
            .setServerRequest(from(peer((victim + 1) % 3), victim))
            .setLeaderTerm(1_000)
            .setSnapshotChunk(
                SnapshotChunkProto.newBuilder()
                    .setRequestId(id)
                    .setTermIndex(TermIndexProto.newBuilder().setTerm(999).setIndex(1_000))
                    .addFileChunks(
                        FileChunkProto.newBuilder()
                            .setFilename("sm/file")
                            .setData(ByteString.copyFromUtf8("of the attacker's choice"))))
            .build());
  }

  private static AppendEntriesRequestProto forgedEntry(int victim, ByteString data) {
    GroupStatus status = group.member(victim).status();
    return AppendEntriesRequestProto.newBuilder()
        .setServerRequest(from(peer((victim + 1) % 3), victim))
        .setLeaderTerm(1_000)
        .setPreviousLog(
            TermIndexProto.newBuilder().setTerm(status.lastTerm()).setIndex(status.last()))
        .addEntries(
            LogEntryProto.newBuilder()
                .setTerm(1_000)
                .setIndex(status.last() + 1)
                .setStateMachineLogEntry(
                    StateMachineLogEntryProto.newBuilder()
                        .setLogData(data)
                        .setClientId(client())
                        .setCallId(1)))
        .setLeaderCommit(status.last() + 1)
        .build();
  }

  private static ByteString mutation() {
    return ByteString.copyFrom(
        BatchCodec.encode(FeatureLevels.FIRST, List.of(group.mkdirs("/invented"))));
  }

  private static RaftRpcRequestProto from(ByteString requestor, int victim) {
    return RaftRpcRequestProto.newBuilder()
        .setRequestorId(requestor)
        .setReplyId(peer(victim))
        .setRaftGroupId(groupId())
        .setCallId(1)
        .build();
  }

  private static RaftGroupIdProto groupId() {
    UUID id = group.settings(0, directory).groupId();
    return RaftGroupIdProto.newBuilder().setId(RaftGroupId.valueOf(id).toByteString()).build();
  }

  private static ByteString peer(int member) {
    return RaftPeerId.valueOf(group.members.get(member).id().toString()).toByteString();
  }

  private static ByteString client() {
    return ClientId.randomId().toByteString();
  }
}
