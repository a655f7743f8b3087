package io.vdfs.datanode.meta.raft.port;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.thirdparty.io.grpc.netty.NettyServerBuilder;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslContext;

/**
 * Says how a member listens: which peers may connect, what they may ask, and how much of this node
 * they may take for it.
 *
 * @param tls what peers prove themselves with; none where every peer is believed
 * @param calls asked of each call first
 * @param maxMessageBytes of one message; a longer one ends its call before it is read
 */
public record RaftPort(
    Optional<RaftTls> tls,
    PeerCalls calls,
    VoteGuard votes,
    RefusedPeers refusals,
    int maxMessageBytes)
    implements GrpcServices.Customizer {
  /** Within which a new connection proves itself, or is closed. */
  public static final Duration HANDSHAKE_LIMIT = Duration.ofSeconds(5);

  /** After which a silent connection is asked whether its peer is still there. */
  private static final Duration KEEP_ALIVE = Duration.ofMinutes(1);

  private static final Duration KEEP_ALIVE_LIMIT = Duration.ofSeconds(20);
  private static final int MAX_METADATA_BYTES = 8 << 10;

  /** Two streams of a leader, and votes and reads that come and go. */
  private static final int MAX_CALLS = 128;

  /** The TLS context for connections to other members. */
  public Optional<SslContext> client() {
    return tls.map(RaftTls::client);
  }

  @Override
  public NettyServerBuilder customize(
      NettyServerBuilder builder, EnumSet<GrpcServices.Type> types) {
    builder
        .maxInboundMessageSize(maxMessageBytes)
        .maxInboundMetadataSize(MAX_METADATA_BYTES)
        .maxConcurrentCallsPerConnection(MAX_CALLS)
        .handshakeTimeout(HANDSHAKE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    builder
        .keepAliveTime(KEEP_ALIVE.toMillis(), TimeUnit.MILLISECONDS)
        .keepAliveTimeout(KEEP_ALIVE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    tls.ifPresent(
        proof -> builder.protocolNegotiator(new GuardedNegotiator(proof.server(), refusals)));
    // the interceptor that is added last is asked first
    return builder.intercept(votes).intercept(calls);
  }
}
