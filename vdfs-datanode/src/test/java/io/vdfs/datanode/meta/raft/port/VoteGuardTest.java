package io.vdfs.datanode.meta.raft.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.junit.jupiter.api.Test;

class VoteGuardTest {
  private static final RequestVoteReplyProto GRANTED =
      RequestVoteReplyProto.newBuilder()
          .setServerReply(RaftRpcReplyProto.newBuilder().setSuccess(true))
          .build();

  private final AtomicLong now = new AtomicLong(Duration.ofDays(1).toNanos());
  private final List<String> order = new ArrayList<>();
  private VoteGuard.Recorder recorder = () -> order.add("forced");
  private Predicate<TermIndex> eligible = entry -> true;
  private VoteGuard guard = guard(0);

  /** Done by Ratis while it votes. */
  private Runnable meanwhile = () -> {};

  private VoteGuard guard(int abstinence) {
    return new VoteGuard(
        Duration.ofSeconds(100),
        Duration.ofSeconds(abstinence),
        now::get,
        entry -> eligible.test(entry),
        () -> recorder.force());
  }

  private final class Call<Q, A> extends ServerCall<Q, A> {
    final List<String> outcome = new ArrayList<>();
    private final MethodDescriptor<Q, A> method;

    Call(MethodDescriptor<Q, A> method) {
      this.method = method;
    }

    @Override
    public void request(int messages) {}

    @Override
    public void sendHeaders(Metadata headers) {}

    @Override
    public void sendMessage(A message) {
      outcome.add("answer");
      order.add("answer");
    }

    @Override
    public void close(Status status, Metadata trailers) {
      outcome.add(status.getCode().name());
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public MethodDescriptor<Q, A> getMethodDescriptor() {
      return method;
    }
  }

  private List<String> vote(boolean preVote) {
    Call<RequestVoteRequestProto, RequestVoteReplyProto> call =
        new Call<>(RaftServerProtocolServiceGrpc.getRequestVoteMethod());
    ServerCallHandler<RequestVoteRequestProto, RequestVoteReplyProto> ratis =
        (voting, headers) ->
            new ServerCall.Listener<>() {
              @Override
              public void onHalfClose() {
                meanwhile.run();
                voting.sendMessage(GRANTED);
                voting.close(Status.OK, new Metadata());
              }
            };
    ServerCall.Listener<RequestVoteRequestProto> listener =
        guard.interceptCall(call, new Metadata(), ratis);
    listener.onMessage(
        RequestVoteRequestProto.newBuilder()
            .setPreVote(preVote)
            .setCandidateLastEntry(TermIndexProto.newBuilder().setTerm(3).setIndex(70))
            .build());
    listener.onHalfClose();
    return call.outcome;
  }

  private void hear() {
    guard
        .interceptCall(
            new Call<>(RaftServerProtocolServiceGrpc.getAppendEntriesMethod()),
            new Metadata(),
            (call, headers) -> new ServerCall.Listener<>() {})
        .onMessage(AppendEntriesRequestProto.getDefaultInstance());
  }

  private void pass(int seconds) {
    now.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void shouldVoteWhenNoLeaderIsHeard() {
    assertEquals(List.of("answer", "OK"), vote(false));
    hear();
    pass(100);
    assertEquals(List.of("answer", "OK"), vote(false));
  }

  @Test
  void shouldNotVoteWhileALeaderIsHeard() {
    hear();
    pass(99);
    assertEquals(List.of("UNAVAILABLE"), vote(false));
    assertEquals(List.of("answer", "OK"), vote(true), "Ratis knows better of a vote before");
  }

  @Test
  void shouldDropAVoteWhenALeaderIsHeardMeanwhile() {
    meanwhile = this::hear;
    assertEquals(List.of("UNAVAILABLE"), vote(false));
  }

  @Test
  void shouldNotVoteSoonAfterARestart() {
    guard = guard(100);
    pass(99);
    assertEquals(List.of("UNAVAILABLE"), vote(false));
    pass(1);
    assertEquals(List.of("answer", "OK"), vote(false));
  }

  @Test
  void shouldForceAVoteBeforeItIsTold() {
    assertEquals(List.of("answer", "OK"), vote(false));
    assertEquals(List.of("forced", "answer"), order);
    order.clear();
    assertEquals(List.of("answer", "OK"), vote(true));
    assertEquals(List.of("answer"), order, "a vote before the vote binds nobody");
  }

  @Test
  void shouldVoteOnlyForWhomItMay() {
    eligible = TermIndex.valueOf(3, 71)::equals;
    assertEquals(List.of("UNAVAILABLE"), vote(true));
    assertEquals(List.of("UNAVAILABLE"), vote(false));
    eligible = TermIndex.valueOf(3, 70)::equals;
    assertEquals(List.of("answer", "OK"), vote(true));
    assertEquals(List.of("answer", "OK"), vote(false));
  }

  @Test
  void shouldDropAVoteThatCannotBeForced() {
    recorder =
        () -> {
          throw new IOException("planted");
        };
    assertEquals(List.of("UNAVAILABLE"), vote(false));
  }

  @Test
  void shouldNotBeToldToStandForElection() {
    Call<?, ?> call = new Call<>(RaftServerProtocolServiceGrpc.getStartLeaderElectionMethod());
    guard.interceptCall(
        call,
        new Metadata(),
        (handedOver, headers) -> {
          throw new AssertionError("Ratis was asked");
        });
    assertEquals(List.of("PERMISSION_DENIED"), call.outcome);
  }
}
