package io.vdfs.client.io;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A TCP relay in front of a server that can cut connections, and hold up or falsify what passes.
 * Thread-safe.
 */
final class FaultProxy implements AutoCloseable {
  private final ServerSocket listener;
  private final InetSocketAddress target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Set<Socket> forgotten = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final AtomicLong broken = new AtomicLong();
  private boolean stalled;
  private boolean refusing;
  private boolean closed;
  private boolean flipTowardsServer;
  private long flipAfter = Long.MAX_VALUE;

  FaultProxy(int targetPort) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    listener = new ServerSocket(0, 100, loopback);
    target = new InetSocketAddress(loopback, targetPort);
    start(this::accept);
  }

  int port() {
    return listener.getLocalPort();
  }

  /** Breaks all connections. */
  void cut() {
    sockets.forEach(this::closeQuietly);
  }

  /** Breaks all connections, also new ones as soon as they are made. */
  void refuse() {
    setRefusing(true);
    cut();
  }

  void accept(boolean accepting) {
    setRefusing(!accepting);
  }

  /** Drops what the connections carry that are open now, as a NAT that has forgotten them. */
  void forget() {
    forgotten.addAll(sockets);
  }

  /** Lets nothing pass until told otherwise; connections stay. */
  void stall(boolean stall) {
    lock.lock();
    try {
      stalled = stall;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Flips one bit after {@code bytes} more bytes in one direction. */
  void flipAfter(long bytes, boolean towardsServer) {
    lock.lock();
    try {
      flipAfter = bytes;
      flipTowardsServer = towardsServer;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    listener.close();
    cut();
  }

  private void setRefusing(boolean refuse) {
    lock.lock();
    try {
      refusing = refuse;
    } finally {
      lock.unlock();
    }
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = listener.accept();
      start(() -> serve(client));
    }
  }

  private void serve(Socket client) throws IOException {
    try (client;
        Socket server = new Socket()) {
      sockets.add(client);
      sockets.add(server);
      lock.lock();
      try {
        if (refusing || closed) {
          return;
        }
      } finally {
        lock.unlock();
      }
      server.connect(target);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      start(() -> relay(server, client, false));
      relay(client, server, true);
    } finally {
      sockets.remove(client);
    }
  }

  private void relay(Socket from, Socket to, boolean towardsServer) throws IOException {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[64 << 10];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        treat(buffer, read, towardsServer);
        if (!forgotten.contains(from)) {
          out.write(buffer, 0, read);
        }
      }
    } finally {
      sockets.remove(from);
      forgotten.remove(from);
    }
  }

  private void treat(byte[] buffer, int length, boolean towardsServer) {
    lock.lock();
    try {
      while (stalled && !closed) {
        changed.awaitUninterruptibly();
      }
      if (towardsServer == flipTowardsServer && flipAfter != Long.MAX_VALUE) {
        if (flipAfter < length) {
          buffer[(int) flipAfter] ^= 0x04;
          flipAfter = Long.MAX_VALUE;
        } else {
          flipAfter -= length;
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void start(SocketWork work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException e) {
                broken.incrementAndGet();
              }
            },
            "fault-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      broken.incrementAndGet();
    }
  }

  @FunctionalInterface
  private interface SocketWork {
    void run() throws IOException;
  }
}
