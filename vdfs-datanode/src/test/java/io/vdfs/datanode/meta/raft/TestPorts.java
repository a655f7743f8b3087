package io.vdfs.datanode.meta.raft;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports for servers of tests that must have the same port after a restart. They lie below those
 * that the system gives to connections and to servers that take any, so that no other process gets
 * one while its server is down; and JVMs that run tests side by side begin at places of their own.
 * Stateless but for the next number; thread-safe.
 */
public final class TestPorts {
  private static final int FIRST = 10_000;

  /** Linux gives out ports from 32768 on. */
  private static final int COUNT = 22_000;

  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private TestPorts() {}

  /** A port at which no process listens now, and which this JVM has not given away for long. */
  public static int take() {
    for (int tries = 0; tries < COUNT; tries++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      if (isFree(port)) {
        return port;
      }
    }
    throw new IllegalStateException(
        "no port is free: first=" + FIRST + ", last=" + (FIRST + COUNT - 1));
  }

  /** Whether a server may listen at {@code port} on all addresses. */
  public static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
