package io.vdfs.datanode.meta.raft.port;

import io.vdfs.common.security.MacKey;
import io.vdfs.datanode.security.NodeCertificate;
import io.vdfs.datanode.security.NodeTrust;
import javax.net.ssl.SSLException;
import org.apache.ratis.thirdparty.io.grpc.netty.GrpcSslContexts;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.ClientAuth;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslContext;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslContextBuilder;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;

/**
 * TLS 1.3 between members by Java's own provider, in which both sides prove that they have the
 * cluster key.
 *
 * @param server for connections from other members
 * @param client for those to them
 */
public record RaftTls(SslContext server, SslContext client) {
  private static final String PROTOCOL = "TLSv1.3";

  /**
   * @param key made from the cluster key for this purpose
   */
  public static RaftTls of(MacKey key, RefusedPeers refusals) {
    NodeCertificate own = NodeCertificate.make(key);
    NodeTrust trust = new NodeTrust(key, refusals::onServer);
    try {
      return new RaftTls(
          build(
              SslContextBuilder.forServer(own.privateKey(), own.certificate())
                  .clientAuth(ClientAuth.REQUIRE),
              trust),
          build(
              SslContextBuilder.forClient().keyManager(own.privateKey(), own.certificate()),
              trust));
    } catch (SSLException e) {
      throw new IllegalStateException("Java's own TLS does not take a certificate of its own", e);
    }
  }

  private static SslContext build(SslContextBuilder builder, NodeTrust trust) throws SSLException {
    return GrpcSslContexts.configure(builder, SslProvider.JDK)
        .trustManager(trust)
        .protocols(PROTOCOL)
        .build();
  }
}
