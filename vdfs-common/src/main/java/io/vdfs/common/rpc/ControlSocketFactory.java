package io.vdfs.common.rpc;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import javax.net.SocketFactory;

/**
 * Makes sockets for control connections.
 *
 * <p>Hadoop keeps one IPC client per socket factory and process and gives it the time limits of its
 * first user. A factory of our own, equal only for equal limits, keeps HDFS's limits out of our
 * client and ours out of HDFS's.
 */
final class ControlSocketFactory extends SocketFactory {
  private final ControlClientSettings settings;

  ControlSocketFactory(ControlClientSettings settings) {
    this.settings = settings;
  }

  @Override
  public Socket createSocket() throws IOException {
    return SocketChannel.open().socket();
  }

  @Override
  public Socket createSocket(String host, int port) {
    throw refuse();
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
    throw refuse();
  }

  @Override
  public Socket createSocket(InetAddress host, int port) {
    throw refuse();
  }

  @Override
  public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) {
    throw refuse();
  }

  private static UnsupportedOperationException refuse() {
    return new UnsupportedOperationException("control connections connect with a time limit");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ControlSocketFactory factory && factory.settings.equals(settings);
  }

  @Override
  public int hashCode() {
    return settings.callTimeout().hashCode();
  }
}
