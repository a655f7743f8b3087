package io.vdfs.datanode.meta.raft;

import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * Ratis' gRPC transport that also tells a {@link QuorumLease} of its log appenders. Public with a
 * public constructor because Ratis makes it by reflection.
 */
public final class LeasedGrpcType implements RpcType {
  private static final String LEASE = "io.vdfs.lease";

  static Parameters parameters(QuorumLease lease, VoteGuard votes) {
    Parameters parameters = new Parameters();
    GrpcConfigKeys.Server.setServicesCustomizer(parameters, votes);
    parameters.put(LEASE, lease, QuorumLease.class);
    return parameters;
  }

  /** The name by which Ratis finds the class. */
  @Override
  public String name() {
    return LeasedGrpcType.class.getName();
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    QuorumLease lease = parameters.getNonNull(LEASE, QuorumLease.class);
    return new GrpcFactory(parameters) {
      @Override
      public LogAppender newLogAppender(
          RaftServer.Division server, LeaderState state, FollowerInfo follower) {
        LogAppender appender =
            super.newLogAppender(server, new WatchedLeadership(state, lease), follower);
        lease.onAppender(state, appender);
        return appender;
      }
    };
  }
}
