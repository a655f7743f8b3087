package io.vdfs.datanode.meta.raft.lease;

import io.vdfs.datanode.meta.raft.port.RaftPort;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * Ratis' gRPC transport that listens as a {@link RaftPort} says and tells a {@link QuorumLease} of
 * its log appenders. Public with a public constructor because Ratis makes it by reflection.
 */
public final class LeasedGrpcType implements RpcType {
  private static final String PORT = "io.vdfs.port";
  private static final String LEASE = "io.vdfs.lease";
  private static final String ACCESSION = "io.vdfs.accession";

  /**
   * @param accession asked by an elected candidate, before it sends anything as leader
   */
  public static Parameters parameters(QuorumLease lease, RaftPort port, Accession accession) {
    Parameters parameters = new Parameters();
    parameters.put(PORT, port, RaftPort.class);
    parameters.put(LEASE, lease, QuorumLease.class);
    parameters.put(ACCESSION, accession, Accession.class);
    return parameters;
  }

  /** The name by which Ratis finds the class. */
  @Override
  public String name() {
    return LeasedGrpcType.class.getName();
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    RaftPort port = parameters.getNonNull(PORT, RaftPort.class);
    QuorumLease lease = parameters.getNonNull(LEASE, QuorumLease.class);
    Accession accession = parameters.getNonNull(ACCESSION, Accession.class);
    return new GrpcFactory(parameters) {
      @Override
      public GrpcServices newRaftServerRpc(RaftServer server) {
        GrpcServicesImpl.Builder services =
            GrpcServicesImpl.newBuilder().setServer(server).setCustomizer(port);
        port.client().ifPresent(services::setServerSslContextForClient);
        return services.build();
      }

      @Override
      public LogAppender newLogAppender(
          RaftServer.Division server, LeaderState state, FollowerInfo follower) {
        accession.begin();
        LogAppender appender =
            super.newLogAppender(server, new WatchedLeadership(state, lease), follower);
        lease.onAppender(state, appender);
        return appender;
      }
    };
  }
}
