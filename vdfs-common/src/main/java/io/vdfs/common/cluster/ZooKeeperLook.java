package io.vdfs.common.cluster;

import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;

/**
 * A connection for a single look. It uses ZooKeeper's own client alone: in a process that has just
 * begun, Curator would make up more than half of the cost of a look. Confined to one thread; {@link
 * #close} ends the session and its threads.
 */
final class ZooKeeperLook implements ZnodeReader, AutoCloseable {
  private final ZooKeeperSettings settings;
  private final ZooKeeper client;

  private ZooKeeperLook(ZooKeeperSettings settings, ZooKeeper client) {
    this.settings = settings;
    this.client = client;
  }

  /** Something to ask ZooKeeper. */
  @FunctionalInterface
  private interface Question<T> {
    T ask() throws KeeperException, InterruptedException;
  }

  /** Waits and throws as {@link ZooKeeperConnection#open}. */
  static ZooKeeperLook open(ZooKeeperSettings settings) throws VdfsException {
    ZooKeeperErrors.checkAddress(settings);
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeperLook look = new ZooKeeperLook(settings, connect(settings, connected));
    boolean done = false;
    try {
      ConnectionWait.await(settings, millis -> connected.await(millis, TimeUnit.MILLISECONDS));
      done = true;
      return look;
    } catch (InterruptedException e) {
      throw ZooKeeperErrors.failure(settings, "connect", e);
    } finally {
      if (!done) {
        look.close();
      }
    }
  }

  private static ZooKeeper connect(ZooKeeperSettings settings, CountDownLatch connected)
      throws VdfsException {
    Watcher watcher =
        event -> {
          if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
            connected.countDown();
          }
        };
    try {
      return new ZooKeeper(
          settings.connect(),
          Math.toIntExact(settings.sessionTimeout().toMillis()),
          watcher,
          new LookConfig());
    } catch (IOException e) {
      throw ZooKeeperErrors.failure(settings, "connect", e);
    }
  }

  @Override
  public Optional<byte[]> data(String path) throws VdfsException {
    return ask("read " + path, () -> client.getData(path, false, null));
  }

  @Override
  public Optional<List<String>> children(String path) throws VdfsException {
    return ask("list " + path, () -> client.getChildren(path, false));
  }

  @Override
  public boolean exists(String path) throws VdfsException {
    return ask("look at " + path, () -> client.exists(path, false) != null).orElse(false);
  }

  @Override
  public ZooKeeperSettings settings() {
    return settings;
  }

  /**
   * Asks again where the connection broke, for as long as the connection timeout: the client
   * reconnects by itself, with pauses.
   */
  private <T> Optional<T> ask(String action, Question<T> question) throws VdfsException {
    long deadline = System.nanoTime() + settings.connectionTimeout().toNanos();
    while (true) {
      try {
        return Optional.of(question.ask());
      } catch (KeeperException.NoNodeException e) {
        return Optional.empty();
      } catch (KeeperException.ConnectionLossException e) {
        if (deadline - System.nanoTime() <= 0) {
          throw ZooKeeperErrors.failure(settings, action, e);
        }
      } catch (KeeperException | InterruptedException e) {
        throw ZooKeeperErrors.failure(settings, action, e);
      }
    }
  }

  @Override
  public void close() {
    try {
      client.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
