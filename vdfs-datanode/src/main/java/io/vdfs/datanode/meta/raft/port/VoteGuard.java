package io.vdfs.datanode.meta.raft.port;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.MethodDescriptor;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.apache.ratis.thirdparty.io.grpc.Status;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a member from electing another leader while it hears one, on which a {@code QuorumLease}
 * relies. Thread-safe.
 *
 * <p>Ratis ensures that in the pre-vote only. Between pre-vote and vote, which may be long for a
 * candidate that is stopped, the member may have acknowledged the leader again, and then votes for
 * the candidate all the same, as its term is newer. A member that restarts does not know which
 * leader it acknowledged before. Nor does Ratis check when a leader hands over.
 *
 * <p>A member whose log may lack what it acknowledged votes only for candidates whose logs lack
 * nothing; see {@code DoubtGuard}. Before a vote is told it is forced with its name, so that it is
 * not forgotten, and given to another one, after a loss of power.
 *
 * <p>A vote that is not granted is lost; Raft bears that.
 */
public final class VoteGuard implements ServerInterceptor {
  private static final Logger LOG = LoggerFactory.getLogger(VoteGuard.class);

  /** Makes sure that a vote which Ratis has written down is not forgotten. */
  @FunctionalInterface
  public interface Recorder {
    void force() throws IOException;
  }

  private static final String VOTE = method(RaftServerProtocolServiceGrpc.getRequestVoteMethod());
  private static final String HAND_OVER =
      method(RaftServerProtocolServiceGrpc.getStartLeaderElectionMethod());
  private static final String APPEND =
      method(RaftServerProtocolServiceGrpc.getAppendEntriesMethod());

  private final long patienceNanos;
  private final LongSupplier nanoClock;
  private final Predicate<TermIndex> eligible;
  private final Recorder recorder;

  /** When a leader was heard last. */
  private final AtomicLong heard;

  /**
   * @param patience for which a member votes for no candidate after it has heard a leader
   * @param abstinence how long it votes for no candidate from now on, for it may have heard a
   *     leader before it started
   * @param eligible whether the member may vote for a candidate whose newest entry is this
   * @param recorder asked before a vote is told
   */
  public VoteGuard(
      Duration patience,
      Duration abstinence,
      LongSupplier nanoClock,
      Predicate<TermIndex> eligible,
      Recorder recorder) {
    this.patienceNanos = patience.toNanos();
    this.nanoClock = nanoClock;
    this.eligible = eligible;
    this.recorder = recorder;
    long now = nanoClock.getAsLong();
    this.heard = new AtomicLong(now - patienceNanos + abstinence.toNanos());
  }

  private static String method(MethodDescriptor<?, ?> descriptor) {
    return descriptor.getFullMethodName();
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    if (method.equals(APPEND)) {
      return new Hearing<>(next.startCall(call, headers));
    }
    if (method.equals(VOTE)) {
      Vote<Q, A> vote = new Vote<>(call);
      return vote.listener(next.startCall(vote, headers));
    }
    if (method.equals(HAND_OVER)) {
      call.close(
          Status.PERMISSION_DENIED.withDescription("leaders don't hand over"), new Metadata());
      return new ServerCall.Listener<>() {};
    }
    return next.startCall(call, headers);
  }

  /** A leader's requests, which count from before they are carried out. */
  private final class Hearing<Q> extends SimpleForwardingServerCallListener<Q> {
    Hearing(ServerCall.Listener<Q> listener) {
      super(listener);
    }

    @Override
    public void onMessage(Q message) {
      heard.set(nanoClock.getAsLong());
      super.onMessage(message);
    }
  }

  /** A candidate's request and its answer, which is dropped if a leader came between them. */
  private final class Vote<Q, A> extends SimpleForwardingServerCall<Q, A> {
    private volatile long heardBefore;
    private volatile boolean binding;
    private volatile boolean dropped;

    Vote(ServerCall<Q, A> call) {
      super(call);
    }

    ServerCall.Listener<Q> listener(ServerCall.Listener<Q> listener) {
      return new SimpleForwardingServerCallListener<>(listener) {
        @Override
        public void onMessage(Q message) {
          heardBefore = heard.get();
          binding = message instanceof RequestVoteRequestProto request && !request.getPreVote();
          if (message instanceof RequestVoteRequestProto request
              && !eligible.test(TermIndex.valueOf(request.getCandidateLastEntry()))) {
            drop("this member's log may lack what it acknowledged");
          } else if (binding && nanoClock.getAsLong() - heardBefore < patienceNanos) {
            drop("a leader is heard");
          } else {
            super.onMessage(message);
          }
        }

        @Override
        public void onHalfClose() {
          if (!dropped) {
            super.onHalfClose();
          }
        }
      };
    }

    @Override
    public void sendMessage(A message) {
      boolean granted =
          message instanceof RequestVoteReplyProto reply && reply.getServerReply().getSuccess();
      if (binding && granted) {
        record();
      }
      if (!dropped) {
        super.sendMessage(message);
      }
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (!dropped) {
        super.close(status, trailers);
      }
    }

    private void record() {
      try {
        recorder.force();
      } catch (IOException e) {
        LOG.warn("a vote cannot be forced", e);
        drop("the vote cannot be forced");
      }
      if (heard.get() != heardBefore && !dropped) {
        drop("a leader is heard");
      }
    }

    private void drop(String reason) {
      LOG.info("no vote for a candidate: {}", reason);
      super.close(Status.UNAVAILABLE.withDescription(reason), new Metadata());
      dropped = true;
    }
  }
}
