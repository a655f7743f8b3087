package io.vdfs.datanode.meta.raft.port;

import java.io.IOException;
import java.net.SocketAddress;
import java.util.Optional;
import javax.crypto.BadPaddingException;
import javax.net.ssl.SSLException;
import org.apache.ratis.thirdparty.io.grpc.netty.GrpcHttp2ConnectionHandler;
import org.apache.ratis.thirdparty.io.grpc.netty.InternalProtocolNegotiator;
import org.apache.ratis.thirdparty.io.grpc.netty.InternalProtocolNegotiators;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelHandler;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelHandlerContext;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslContext;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslHandler;
import org.apache.ratis.thirdparty.io.netty.util.AsciiString;

/** gRPC's TLS for servers, which bounds handshakes under way and tells of those that fail. */
final class GuardedNegotiator implements InternalProtocolNegotiator.ProtocolNegotiator {
  private final InternalProtocolNegotiator.ProtocolNegotiator tls;
  private final Handshakes handshakes = new Handshakes();
  private final RefusedPeers refusals;

  GuardedNegotiator(SslContext server, RefusedPeers refusals) {
    this.tls = InternalProtocolNegotiators.serverTls(server);
    this.refusals = refusals;
  }

  @Override
  public AsciiString scheme() {
    return tls.scheme();
  }

  @Override
  public ChannelHandler newHandler(GrpcHttp2ConnectionHandler handler) {
    return new Doorway(tls.newHandler(handler));
  }

  @Override
  public void close() {
    tls.close();
  }

  /**
   * Whether the peer broke the handshake off. A peer that says so says it in the clear, which is a
   * broken record to a server that has begun to encrypt.
   */
  private static boolean isOfOneThatLeft(Throwable cause) {
    return (cause instanceof IOException && !(cause instanceof SSLException))
        || cause.getCause() instanceof BadPaddingException;
  }

  /** Stands at the head of a new connection's pipeline until the handler for TLS is there. */
  private final class Doorway extends ChannelInboundHandlerAdapter {
    private final ChannelHandler next;
    private SocketAddress peer;
    private boolean decided;

    Doorway(ChannelHandler next) {
      this.next = next;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
      peer = context.channel().remoteAddress();
      if (!handshakes.begin(peer)) {
        refusals.onPeer(peer, "too many connections that prove nothing");
        var unused = context.close();
        return;
      }
      var unused = context.channel().closeFuture().addListener(closed -> decide(Optional.empty()));
      context.pipeline().addAfter(context.name(), null, next);
      watch(context);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws Exception {
      super.channelActive(context);
      watch(context);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) throws Exception {
      super.userEventTriggered(context, event);
      watch(context);
    }

    /** Watches the handler for TLS, which gRPC adds when the connection is ready for it. */
    private void watch(ChannelHandlerContext context) {
      SslHandler handshake = context.pipeline().get(SslHandler.class);
      if (handshake != null && !context.isRemoved()) {
        var unused =
            handshake
                .handshakeFuture()
                .addListener(
                    done ->
                        decide(
                            Optional.ofNullable(done.cause())
                                .filter(cause -> !isOfOneThatLeft(cause))
                                .map(Throwable::toString)));
        context.pipeline().remove(this);
      }
    }

    /** A peer that went away was not refused. */
    private void decide(Optional<String> refusal) {
      if (!decided) {
        decided = true;
        handshakes.end(peer);
        refusal.ifPresent(cause -> refusals.onPeer(peer, cause));
      }
    }
  }
}
