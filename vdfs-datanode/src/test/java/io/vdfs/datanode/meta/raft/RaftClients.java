package io.vdfs.datanode.meta.raft;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.raft.port.RaftTls;
import io.vdfs.datanode.meta.raft.port.RefusedPeers;
import io.vdfs.datanode.security.NodeCertificate;
import java.security.SecureRandom;
import javax.net.ssl.SSLException;
import org.apache.ratis.thirdparty.io.grpc.ManagedChannel;
import org.apache.ratis.thirdparty.io.grpc.netty.GrpcSslContexts;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyChannelBuilder;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslContext;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslContextBuilder;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.util.InsecureTrustManagerFactory;

/** Connects to members' Raft ports, as they do themselves or as an attacker does. */
final class RaftClients {
  private RaftClients() {}

  static ManagedChannel plain(TestGroup group, int member) {
    return NettyChannelBuilder.forTarget(group.members.get(member).address())
        .usePlaintext()
        .build();
  }

  /** Speaks TLS and believes every server. */
  static ManagedChannel withoutCertificate(TestGroup group, int member) throws SSLException {
    return connect(group, member, believing(SslContextBuilder.forClient()));
  }

  /** Does so with the key of another cluster. */
  static ManagedChannel withAnotherKey(TestGroup group, int member) throws SSLException {
    return withKey(group, member, ClusterKey.generate(new SecureRandom()));
  }

  /** Does so with any key. */
  static ManagedChannel withKey(TestGroup group, int member, ClusterKey key) throws SSLException {
    NodeCertificate own = NodeCertificate.make(key.derive(KeyPurposes.RAFT));
    return connect(
        group,
        member,
        believing(SslContextBuilder.forClient().keyManager(own.privateKey(), own.certificate())));
  }

  /** As the members connect to each other. */
  static ManagedChannel asMember(TestGroup group, int member) {
    RefusedPeers refusals =
        new RefusedPeers(new Counters<>(GroupCounter.class), System::nanoTime, refused -> {});
    return connect(
        group, member, RaftTls.of(group.key().derive(KeyPurposes.RAFT), refusals).client());
  }

  private static SslContext believing(SslContextBuilder builder) throws SSLException {
    return GrpcSslContexts.configure(builder, SslProvider.JDK)
        .trustManager(InsecureTrustManagerFactory.INSTANCE)
        .build();
  }

  private static ManagedChannel connect(TestGroup group, int member, SslContext context) {
    return NettyChannelBuilder.forTarget(group.members.get(member).address())
        .sslContext(context)
        .build();
  }
}
