package io.vdfs.it.quickstart;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/** A ZooKeeper server inside this JVM, which ends with it. Immutable. */
final class ZooKeeperService {
  private static final int TICK_MILLIS = 2_000;
  private static final int MAX_CONNECTIONS = 1_000;

  private final String address;

  private ZooKeeperService(String address) {
    this.address = address;
  }

  static ZooKeeperService start(RunDirectory run) throws IOException, InterruptedException {
    File directory = run.zooKeeper().toFile();
    ServerCnxnFactory factory =
        ServerCnxnFactory.createFactory(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), MAX_CONNECTIONS);
    factory.startup(new ZooKeeperServer(directory, directory, TICK_MILLIS));
    return new ZooKeeperService("127.0.0.1:" + factory.getLocalPort());
  }

  /** As in {@code host:port}. */
  String address() {
    return address;
  }
}
