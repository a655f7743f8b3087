package io.vdfs.datanode.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlClientSettings;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.ControlServer;
import io.vdfs.common.rpc.ControlServerSettings;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.PreferredBlocks;
import io.vdfs.common.wire.proto.ScanHead;
import io.vdfs.common.wire.proto.SealStreamOp;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.datanode.rpc.request.MetadataDispatcher;
import io.vdfs.datanode.stream.SharedScan;
import io.vdfs.datanode.stream.StreamManagerCounter;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaderGatewayTest {
  private static final MacKey KEY =
      ClusterKey.generate(new SecureRandom()).derive(KeyPurposes.NODE);
  private static final CallerProto ANN =
      CallerProto.newBuilder().setUser("ann").addGroups("staff").build();
  private static final MetaRequest MKDIRS =
      MetaRequest.newBuilder().setMkdirs(MkdirsOp.newBuilder().setPath("/a")).build();

  private final RpcFixture here = new RpcFixture();
  private final RpcFixture there = new RpcFixture();
  private final RpcFixture elsewhere = new RpcFixture();
  private final Map<NodeId, InetSocketAddress> addresses = new HashMap<>();
  private final List<ControlServer> servers = new ArrayList<>();
  private final ControlClient client =
      new ControlClient(
          new Configuration(false),
          UserGroupInformation.createRemoteUser("hdfs"),
          new ControlClientSettings(Duration.ofSeconds(5), Duration.ofSeconds(10)));
  private LeaderGateway gateway;

  @AfterEach
  void close() {
    gateway.close();
    client.close();
    servers.forEach(ControlServer::close);
  }

  private void serve(RpcFixture node) throws VdfsException {
    ControlServer server =
        ControlServer.start(
            new Configuration(false),
            ControlServerSettings.of("127.0.0.1", 0, "vdfs.control.port"),
            Map.of(
                ControlMethods.NODE,
                new NodeCallHandler(
                    node.self, KEY, Map.of(ControlMethods.META, node.handler.ofNodes()))));
    servers.add(server);
    addresses.put(node.self, server.address());
  }

  private void open(Optional<MetadataDispatcher> local, Duration limit) {
    MetadataAddresses members =
        new MetadataAddresses() {
          @Override
          public List<NodeId> members() {
            return List.of(here.self, there.self, elsewhere.self);
          }

          @Override
          public Optional<InetSocketAddress> controlAddress(NodeId node) {
            return Optional.ofNullable(addresses.get(node));
          }
        };
    gateway =
        new LeaderGateway(
            () -> local,
            here.self,
            members,
            new NodeClient(client, here.self, KEY),
            here.callers,
            here.callIds,
            limit);
  }

  private static MetaResponse join(CompletableFuture<MetaResponse> answer) throws Exception {
    return answer.get(30, TimeUnit.SECONDS);
  }

  @Test
  void shouldAskInTheProcessWhereThisNodeLeads() throws Exception {
    open(Optional.of(here.dispatcher), Duration.ofSeconds(20));
    assertTrue(join(gateway.call(MKDIRS, ANN)).hasEmpty());
    MetaRequest request = here.member.submitted.get(0);
    assertEquals(ANN, request.getCaller());
    assertEquals(RpcFixture.NOW, request.getTimeMillis());
    assertEquals(16, request.getCallId().getClientId().size());
  }

  @Test
  void shouldFindTheLeaderAndAskInTheCallersName() throws Exception {
    serve(there);
    serve(elsewhere);
    there.member.leading = false;
    there.member.leader = Optional.of(elsewhere.self);
    open(Optional.empty(), Duration.ofSeconds(20));
    for (int i = 0; i < 3; i++) {
      assertTrue(join(gateway.call(MKDIRS, ANN)).hasEmpty());
    }
    assertEquals(3, elsewhere.member.submitted.size());
    assertEquals(ANN, elsewhere.member.submitted.get(0).getCaller());
    assertTrue(join(gateway.call(MKDIRS)).hasEmpty());
    assertTrue(elsewhere.member.submitted.get(3).getCaller().getSuperuser());
  }

  @Test
  void shouldFollowAChangeOfLeaderWithOneCallId() throws Exception {
    serve(there);
    serve(elsewhere);
    here.member.leading = false;
    elsewhere.member.leading = false;
    open(Optional.of(here.dispatcher), Duration.ofSeconds(25));
    assertTrue(join(gateway.call(MKDIRS, ANN)).hasEmpty());
    assertEquals(1, there.member.executed.size());
    int toThere = there.member.submitted.size();
    int toElsewhere = elsewhere.member.submitted.size();

    assertEquals(0, there.member.recalledAges.stream().filter(age -> age <= 0).count());

    there.member.leading = false;
    there.member.recalledAges.clear();
    elsewhere.member.recalledAges.clear();
    CompletableFuture<MetaResponse> second = gateway.call(MKDIRS, ANN);
    assertThrows(TimeoutException.class, () -> second.get(300, TimeUnit.MILLISECONDS));
    elsewhere.member.leading = true;
    assertTrue(join(second).hasEmpty());
    List<MetaRequest> tries = new ArrayList<>();
    tries.addAll(there.member.submitted.subList(toThere, there.member.submitted.size()));
    tries.addAll(
        elsewhere.member.submitted.subList(toElsewhere, elsewhere.member.submitted.size()));
    assertTrue(tries.size() > 1);
    assertEquals(1, tries.stream().map(MetaRequest::getCallId).distinct().count());
    assertEquals(1, elsewhere.member.executed.size());
    List<Long> ages = elsewhere.member.recalledAges;
    assertTrue(ages.get(ages.size() - 1) >= 300, () -> "first try longer ago: ages=" + ages);
    assertEquals(ages.stream().sorted().toList(), ages);
  }

  @Test
  void shouldGoRoundADeadLeader() throws Exception {
    serve(there);
    serve(elsewhere);
    elsewhere.member.leading = false;
    open(Optional.empty(), Duration.ofSeconds(25));
    assertTrue(join(gateway.call(MKDIRS, ANN)).hasEmpty());
    servers.get(0).close();
    elsewhere.member.leading = true;
    assertTrue(join(gateway.call(MKDIRS, ANN)).hasEmpty());
    assertEquals(1, elsewhere.member.executed.size());
  }

  @Test
  void shouldGiveUpInTimeWithoutALeader() throws Exception {
    here.member.leading = false;
    open(Optional.of(here.dispatcher), Duration.ofSeconds(1));
    MetaResponse response = join(gateway.call(MKDIRS, ANN));
    assertEquals(ErrorCode.UNAVAILABLE, RpcFixture.code(response));
    assertTrue(response.getError().getMessage().contains("MKDIRS"), response::toString);
  }

  @Test
  void shouldAskForTheNextRunInTheNameOfThisNode() throws Exception {
    open(Optional.of(here.dispatcher), Duration.ofSeconds(20));
    StreamNextHandler handler =
        new StreamNextHandler(
            gateway,
            here.self,
            here.callers,
            Optional.empty(),
            (file, block) -> {},
            new Counters<>(StreamManagerCounter.class));
    LedgerRequest next =
        LedgerRequest.newBuilder()
            .setNext(NextRunOp.newBuilder().setTask(3).setNode(WireIds.encode(there.self)))
            .build();
    handler
        .handle(RpcFixture.call("ann", next.toByteArray()))
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);
    MetaRequest request = here.member.submitted.get(0);
    assertEquals(WireIds.encode(here.self), request.getLedger().getNext().getNode());
    assertEquals(3, request.getLedger().getNext().getTask());
    assertEquals("ann", request.getCaller().getUser());

    LedgerRequest seal =
        LedgerRequest.newBuilder().setSeal(SealStreamOp.getDefaultInstance()).build();
    VdfsException refused =
        assertThrows(
            VdfsException.class, () -> handler.handle(RpcFixture.call("ann", seal.toByteArray())));
    assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
  }

  @Test
  void shouldSayWhatThisNodeHasInMemoryAndLearnWhatItGrants() throws Exception {
    open(Optional.of(here.dispatcher), Duration.ofSeconds(20));
    Counters<StreamManagerCounter> counters = new Counters<>(StreamManagerCounter.class);
    SharedScan scan = new SharedScan((file, block) -> false, () -> 0, counters);
    FileKey file = new FileKey(7, 2);
    scan.onGranted(new SharedScan.Blocks(file, 5, 3), false);
    FileKeyProto key = FileKeyProto.newBuilder().setFileId(7).setGeneration(2).build();
    NextRunResult granted =
        NextRunResult.newBuilder()
            .setTaken(true)
            .setPreferred(true)
            .setRun(run(here.self, 5))
            .build();
    here.member.response =
        MetaResponse.newBuilder().setLedger(LedgerResponse.newBuilder().setNext(granted)).build();
    List<String> told = new ArrayList<>();
    StreamNextHandler handler =
        new StreamNextHandler(
            gateway,
            here.self,
            here.callers,
            Optional.of(scan),
            (ofFile, block) -> told.add(ofFile + " from block " + block),
            counters);
    NextRunOp asked =
        NextRunOp.newBuilder()
            .addPreferred(PreferredBlocks.newBuilder().setFirst(99).setCount(1))
            .addScanHeads(ScanHead.newBuilder().setBlock(99))
            .build();
    handler
        .handle(
            RpcFixture.call("ann", LedgerRequest.newBuilder().setNext(asked).build().toByteArray()))
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);
    NextRunOp passedOn = here.member.submitted.get(0).getLedger().getNext();
    assertEquals(
        List.of(PreferredBlocks.newBuilder().setFile(key).setFirst(5).setCount(3).build()),
        passedOn.getPreferredList(),
        "the node's own, not the client's");
    assertEquals(
        List.of(ScanHead.newBuilder().setFile(key).setBlock(8).build()),
        passedOn.getScanHeadsList());
    NextRunResult.Builder stolen = granted.toBuilder().setPreferred(false);
    stolen.getRunBuilder().setStolen(true);
    here.member.response =
        MetaResponse.newBuilder().setLedger(LedgerResponse.newBuilder().setNext(stolen)).build();
    handler
        .handle(
            RpcFixture.call("ann", LedgerRequest.newBuilder().setNext(asked).build().toByteArray()))
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);
    assertEquals(2, counters.get(StreamManagerCounter.SHARED_GRANT_BLOCKS));
    assertEquals(2, counters.get(StreamManagerCounter.GRANTED_BLOCKS));
    assertEquals(1, counters.get(StreamManagerCounter.GRANTS), "what is stolen does not count");
    assertEquals(List.of("7.2 from block 5"), told);
  }

  @Test
  void shouldTakeEachRunThatWasTakenNowForAGrantIfItIsThisNodesOwn() throws Exception {
    NextRunResult taken =
        NextRunResult.newBuilder()
            .setTaken(true)
            .setRun(run(here.self, 5))
            .addFollowing(run(there.self, 40))
            .addFollowing(run(here.self, 60).setStolen(true))
            .addFollowing(run(here.self, 7))
            .build();
    Counters<StreamManagerCounter> counters = new Counters<>(StreamManagerCounter.class);
    SharedScan scan = new SharedScan((file, block) -> false, () -> 0, counters);
    assertEquals(List.of(5L, 7L), toldOf(taken, scan, counters));
    assertEquals(2, counters.get(StreamManagerCounter.GRANTS));
    assertEquals(4, counters.get(StreamManagerCounter.GRANTED_BLOCKS));
    assertEquals(List.of(new SharedScan.Head(new FileKey(7, 2), 9)), scan.heads());
  }

  @Test
  void shouldTakeARepeatedListForNoGrant() throws Exception {
    NextRunResult repeated =
        NextRunResult.newBuilder()
            .setRun(run(here.self, 5))
            .addFollowing(run(here.self, 40))
            .addFollowing(run(here.self, 60))
            .build();
    Counters<StreamManagerCounter> counters = new Counters<>(StreamManagerCounter.class);
    SharedScan scan = new SharedScan((file, block) -> false, () -> 0, counters);
    assertEquals(List.of(5L), toldOf(repeated, scan, counters), "what is read next");
    NextRunResult ofOther = repeated.toBuilder().setRun(run(there.self, 5)).build();
    assertEquals(List.of(), toldOf(ofOther, scan, counters), "lies on another node");
    NextRunResult stolen = repeated.toBuilder().setRun(run(here.self, 5).setStolen(true)).build();
    assertEquals(List.of(), toldOf(stolen, scan, counters));
    assertEquals(0, counters.get(StreamManagerCounter.GRANTS));
    assertEquals(List.of(), scan.heads());
    assertEquals(List.of(), scan.inMemory());
  }

  /** Two blocks of one file. */
  private static StreamRun.Builder run(NodeId owner, long first) {
    return StreamRun.newBuilder()
        .setFile(FileKeyProto.newBuilder().setFileId(7).setGeneration(2))
        .setFirstBlock(first)
        .setBlockCount(2)
        .setOwner(WireIds.encode(owner));
  }

  /** Asks once; the first blocks of the runs that the node is told of. */
  private List<Long> toldOf(
      NextRunResult result, SharedScan scan, Counters<StreamManagerCounter> counters)
      throws Exception {
    if (gateway == null) {
      open(Optional.of(here.dispatcher), Duration.ofSeconds(20));
    }
    here.member.response =
        MetaResponse.newBuilder().setLedger(LedgerResponse.newBuilder().setNext(result)).build();
    List<Long> told = new ArrayList<>();
    StreamNextHandler handler =
        new StreamNextHandler(
            gateway,
            here.self,
            here.callers,
            Optional.of(scan),
            (file, block) -> told.add(block),
            counters);
    LedgerRequest next = LedgerRequest.newBuilder().setNext(NextRunOp.getDefaultInstance()).build();
    handler
        .handle(RpcFixture.call("ann", next.toByteArray()))
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS);
    return told;
  }

  @Test
  void shouldCountHowLongTasksSayTheyWaitedAndNotPassThatOn() throws Exception {
    open(Optional.of(here.dispatcher), Duration.ofSeconds(20));
    Counters<StreamManagerCounter> counters = new Counters<>(StreamManagerCounter.class);
    StreamNextHandler handler =
        new StreamNextHandler(
            gateway, here.self, here.callers, Optional.empty(), (file, block) -> {}, counters);
    for (long waited : new long[] {0, 1500, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      NextRunOp next = NextRunOp.newBuilder().setWaitedMillis(waited).build();
      handler
          .handle(
              RpcFixture.call(
                  "ann", LedgerRequest.newBuilder().setNext(next).build().toByteArray()))
          .toCompletableFuture()
          .get(30, TimeUnit.SECONDS);
    }
    assertEquals(
        1500 + StreamNextHandler.MOST_WAITED_MILLIS,
        counters.get(StreamManagerCounter.TASK_WAIT_MILLIS));
    assertEquals(5, here.member.submitted.size());
    for (MetaRequest request : here.member.submitted) {
      assertEquals(0, request.getLedger().getNext().getWaitedMillis(), "not for the log");
    }
  }
}
