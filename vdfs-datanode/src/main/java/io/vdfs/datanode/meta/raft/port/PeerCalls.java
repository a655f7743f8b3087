package io.vdfs.datanode.meta.raft.port;

import io.vdfs.common.metrics.Counters;
import io.vdfs.datanode.meta.group.GroupCounter;
import org.apache.ratis.proto.grpc.RaftServerProtocolServiceGrpc;
import org.apache.ratis.thirdparty.io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import org.apache.ratis.thirdparty.io.grpc.Grpc;
import org.apache.ratis.thirdparty.io.grpc.Metadata;
import org.apache.ratis.thirdparty.io.grpc.ServerCall;
import org.apache.ratis.thirdparty.io.grpc.ServerCallHandler;
import org.apache.ratis.thirdparty.io.grpc.ServerInterceptor;
import org.apache.ratis.thirdparty.io.grpc.Status;

/**
 * Lets through what members ask of each other. Ratis' services for clients and administrators
 * listen at the same port; this node calls its own member directly and no other process has
 * business there: such services could remove the group with its directory. Thread-safe.
 */
public final class PeerCalls implements ServerInterceptor {
  private static final String SNAPSHOT =
      RaftServerProtocolServiceGrpc.getInstallSnapshotMethod().getFullMethodName();

  private final Counters<GroupCounter> counters;
  private final RefusedPeers refusals;

  public PeerCalls(Counters<GroupCounter> counters, RefusedPeers refusals) {
    this.counters = counters;
    this.refusals = refusals;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String service = call.getMethodDescriptor().getServiceName();
    if (!RaftServerProtocolServiceGrpc.SERVICE_NAME.equals(service)) {
      refusals.onPeer(
          call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR),
          "called " + call.getMethodDescriptor().getFullMethodName());
      call.close(
          Status.PERMISSION_DENIED.withDescription("this port is for members' calls only"),
          new Metadata());
      return new ServerCall.Listener<>() {};
    }
    ServerCall.Listener<Q> listener = next.startCall(call, headers);
    return call.getMethodDescriptor().getFullMethodName().equals(SNAPSHOT)
        ? new ChunkListener<>(listener)
        : listener;
  }

  /** Counts the pieces of a snapshot. */
  private final class ChunkListener<Q> extends SimpleForwardingServerCallListener<Q> {
    ChunkListener(ServerCall.Listener<Q> listener) {
      super(listener);
    }

    @Override
    public void onMessage(Q message) {
      counters.increment(GroupCounter.SNAPSHOT_CHUNKS);
      super.onMessage(message);
    }
  }
}
