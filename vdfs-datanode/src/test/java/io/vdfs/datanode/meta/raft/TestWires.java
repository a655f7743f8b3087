package io.vdfs.datanode.meta.raft;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A wire for each ordered pair of members, through which the first calls the second. A cut wire
 * breaks no connection and loses no byte: it holds them back until it is healed, so that both ends
 * hear nothing of each other. Thread-safe.
 */
final class TestWires implements Closeable {
  private final List<List<Wire>> wires = new ArrayList<>();

  TestWires(List<Integer> ports) throws IOException {
    for (int from = 0; from < ports.size(); from++) {
      List<Wire> row = new ArrayList<>();
      for (int port : ports) {
        row.add(new Wire(port));
      }
      wires.add(row);
    }
  }

  /** Where member {@code from} finds member {@code to}. */
  int port(int from, int to) {
    return wires.get(from).get(to).entry.getLocalPort();
  }

  /** Cuts a member off from all others. */
  void cutOff(int member) {
    of(member).forEach(Wire::cut);
  }

  void heal() {
    wires.forEach(row -> row.forEach(Wire::heal));
  }

  /** Bytes that cut wires to and from a member have held back so far. */
  long heldBack(int member) {
    return of(member).stream().mapToLong(wire -> wire.heldBack.get()).sum();
  }

  private List<Wire> of(int member) {
    List<Wire> touching = new ArrayList<>(wires.get(member));
    wires.forEach(row -> touching.add(row.get(member)));
    return touching;
  }

  @Override
  public void close() {
    wires.forEach(row -> row.forEach(Wire::close));
  }

  /** Takes connections to one member and passes bytes on both ways. */
  private static final class Wire implements Closeable {
    private final ServerSocket entry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong heldBack = new AtomicLong();
    private boolean cut; // guarded by this
    private boolean closed; // guarded by this

    Wire(int target) throws IOException {
      this.target = target;
      start(this::accept);
    }

    private static void start(Runnable task) {
      Thread thread = new Thread(task, "test-wire");
      thread.setDaemon(true);
      thread.start();
    }

    private void accept() {
      while (!entry.isClosed()) {
        try {
          connect(entry.accept());
        } catch (IOException e) {
          // closed, or the member at the other end is down
        }
      }
    }

    private void connect(Socket near) throws IOException {
      sockets.add(near);
      try {
        Socket far = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(far);
        start(() -> pass(near, far));
        start(() -> pass(far, near));
      } catch (IOException e) {
        end(near);
        throw e;
      }
    }

    private void pass(Socket from, Socket to) {
      byte[] buffer = new byte[1 << 16];
      try (from;
          to) {
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
          awaitPassage(read);
          out.write(buffer, 0, read);
        }
      } catch (IOException e) {
        // the other end learns of it by the end of its connection
      } finally {
        end(from);
        end(to);
      }
    }

    private synchronized void awaitPassage(int bytes) throws IOException {
      if (cut) {
        heldBack.addAndGet(bytes);
      }
      while (cut && !closed) {
        try {
          wait();
        } catch (InterruptedException e) {
          throw new IOException("wire ends", e);
        }
      }
    }

    private void end(Socket socket) {
      sockets.remove(socket);
      try {
        socket.close();
      } catch (IOException e) {
        // it is of no use any more
      }
    }

    synchronized void cut() {
      cut = true;
    }

    synchronized void heal() {
      cut = false;
      notifyAll();
    }

    @Override
    public void close() {
      synchronized (this) {
        closed = true;
        notifyAll();
      }
      try {
        entry.close();
      } catch (IOException e) {
        // no member connects any more
      }
      sockets.forEach(this::end);
    }
  }
}
