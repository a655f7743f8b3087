package io.vdfs.client.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.client.place.LocalNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.ListStreamsResult;
import io.vdfs.common.wire.proto.ListedStream;
import io.vdfs.common.wire.proto.MetaResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LedgerClientTest {
  private static final StreamId STREAM = new StreamId(5, 6);
  private static final int BLOCK = FakeCluster.GEOMETRY.blockSize();

  private final FakeCluster cluster = new FakeCluster();
  private final FakeClient fake = new FakeClient(cluster, FakeCluster.host(2));
  private final LedgerClient ledger = fake.client().ledger();

  private void createStream() throws IOException {
    createStream(STREAM);
  }

  private void createStream(StreamId stream) throws IOException {
    ledger.create(plan(stream, List.of(cluster.node(2)), 2L * BLOCK));
    cluster.forgetCalls();
  }

  /** Of one file whose groups have these owners. */
  private StreamPlan plan(StreamId stream, List<NodeId> owners, long length) {
    return new StreamPlan(
        stream,
        new StreamPlan.Draws(2, 0, false, true, true),
        FakeCluster.GEOMETRY,
        IntStream.range(0, FakeCluster.NODES)
            .mapToObj(node -> new StreamPlan.Node(cluster.node(node), Set.of()))
            .toList(),
        List.of(new StreamPlan.File(new FileKey(9, 1), length, "/in", owners)));
  }

  private static RunQuestion next(int task, int position) {
    return RunQuestion.oneBlock(new StreamTask(STREAM, task), position);
  }

  @Test
  void shouldAskTheStreamManagerOfItsOwnMachine() throws IOException {
    createStream();

    RunAnswer first = ledger.next(next(0, 0));

    assertFalse(first.isEnd());
    assertEquals(1, cluster.calls().size());
    FakeCluster.Call call = cluster.calls(ControlMethods.STREAM_NEXT).get(0);
    assertEquals(2, call.node());
    assertEquals(WireIds.encode(cluster.node(2)), call.request().getLedger().getNext().getNode());
    assertEquals(Optional.of(cluster.node(2)), ledger.localNode());
  }

  @Test
  void shouldGetTheSameRunAgainWhenTheAnswerGotLost() throws IOException {
    createStream();
    cluster.fault(2, Fault.MUTE);

    RunAnswer replayed = ledger.next(next(0, 0));

    assertEquals(0, replayed.runs().get(0).firstBlock());
    assertEquals(1, replayed.remainingBlocks(), "the lost call took the same block");
    assertEquals(1, cluster.calls(ControlMethods.STREAM_NEXT).size());
    assertTrue(cluster.calls(ControlMethods.META).size() >= 1);
  }

  @Test
  void shouldLeaveALocalNodeAloneForAWhileAfterAFailure() throws IOException {
    createStream();
    cluster.fault(2, Fault.DEAD);
    ledger.next(next(0, 0));
    cluster.fault(2, Fault.NONE);
    cluster.forgetCalls();

    ledger.next(next(0, 0));
    assertEquals(0, cluster.calls(ControlMethods.STREAM_NEXT).size());

    fake.clock().advance(Duration.ofSeconds(10));
    ledger.next(next(0, 0));
    assertEquals(1, cluster.calls(ControlMethods.STREAM_NEXT).size());
  }

  @Test
  void shouldDrawNothingInTheNameOfANodeThatTheClusterGaveUp() throws IOException {
    createStream();
    ledger.next(next(0, 0));
    cluster.fault(2, Fault.DEAD);
    cluster.forgetCalls();

    ledger.next(next(0, 1));
    assertEquals(WireIds.encode(cluster.node(2)), drawnBy(), "it may be back soon");

    fake.clock().advance(Duration.ofSeconds(10));
    cluster.forgetCalls();
    ledger.next(next(0, 2));
    assertEquals(0, cluster.calls(ControlMethods.STREAM_NEXT).size());
    assertEquals(ByteString.EMPTY, drawnBy());
    assertEquals(Optional.empty(), ledger.localNode());
  }

  private ByteString drawnBy() {
    List<FakeCluster.Call> calls = cluster.calls(ControlMethods.META);
    return calls.get(calls.size() - 1).request().getLedger().getNext().getNode();
  }

  @Test
  void shouldAskTheLeaderWhereNoNodeRunsOnTheMachine() throws IOException {
    createStream();
    LedgerClient away = new FakeClient(cluster, "elsewhere").client().ledger();

    assertEquals(0, away.next(next(1, 0)).position());

    assertEquals(Optional.empty(), away.localNode());
    assertEquals(0, cluster.calls(ControlMethods.STREAM_NEXT).size());
  }

  @Test
  void shouldTellOnlyItsOwnNodeHowLongItWaited() throws IOException {
    createStream();
    ledger.next(next(0, 0).withWaitedMillis(70));
    FakeCluster.Call here = cluster.calls(ControlMethods.STREAM_NEXT).get(0);
    assertEquals(70, here.request().getLedger().getNext().getWaitedMillis());

    LedgerClient away = new FakeClient(cluster, "elsewhere").client().ledger();
    away.next(next(1, 0).withWaitedMillis(70));
    for (FakeCluster.Call call : cluster.calls(ControlMethods.META)) {
      assertEquals(0, call.request().getLedger().getNext().getWaitedMillis(), "not for the log");
    }
  }

  @Test
  void shouldListStreamsPageByPage() throws IOException {
    List<StreamId> all = new ArrayList<>();
    for (int stream = 1; stream <= 101; stream++) {
      all.add(new StreamId(7, stream));
      createStream(all.get(stream - 1));
    }
    cluster.forgetCalls();
    assertEquals(all, ledger.list(false).stream().map(StreamOverview::stream).toList());
    assertEquals(2, cluster.calls(ControlMethods.META).size());
  }

  @Test
  void shouldNotAskForEverWhereALeaderRepeatsItself() {
    ListStreamsResult empty = ListStreamsResult.newBuilder().setMore(true).build();
    ListStreamsResult same =
        empty.toBuilder()
            .addStreams(ListedStream.newBuilder().setStreamId(LedgerMessages.encode(STREAM)))
            .build();
    for (ListStreamsResult page : List.of(empty, same)) {
      LedgerClient deceived =
          new LedgerClient(
              request ->
                  MetaResponse.newBuilder()
                      .setLedger(LedgerResponse.newBuilder().setList(page))
                      .build(),
              fake.view(),
              cluster,
              new LocalNode(Optional.empty(), Set::of),
              fake.clock());
      VdfsException refused = assertThrows(VdfsException.class, () -> deceived.list(true));
      assertEquals(ErrorCode.INTERNAL, refused.code());
    }
  }

  @Test
  void shouldSayNotFoundOfAStreamThatWasNeverMade() {
    VdfsException next = assertThrows(VdfsException.class, () -> ledger.next(next(0, 0)));
    VdfsException status = assertThrows(VdfsException.class, () -> ledger.status(STREAM));

    assertEquals(ErrorCode.NOT_FOUND, next.code());
    assertEquals(ErrorCode.NOT_FOUND, status.code());
  }
}
