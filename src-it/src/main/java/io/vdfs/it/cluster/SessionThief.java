package io.vdfs.it.cluster;

import java.time.Duration;
import java.util.Random;
import org.apache.zookeeper.ZooKeeper;

/**
 * Ends the ZooKeeper session of another process: joins it with the password that ZooKeeper derives
 * from the session's id, and closes it. The other process learns that its session has expired.
 * Stateless.
 */
final class SessionThief {
  static final int TIMEOUT_MILLIS = 10_000;

  /** ZooKeeper's own constant: it prevents guessing, but it is public. */
  private static final long SERVER_SECRET = 0xB3415C00L;

  private static final int PASSWORD_BYTES = 16;
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private SessionThief() {}

  static void end(String address, long session) throws Exception {
    byte[] password = new byte[PASSWORD_BYTES];
    new Random(session ^ SERVER_SECRET).nextBytes(password);
    ZooKeeper stolen =
        connected(new ZooKeeper(address, TIMEOUT_MILLIS, event -> {}, session, password));
    try {
      if (stolen.getSessionId() != session) {
        throw new IllegalStateException(
            "another session than asked for: session="
                + stolen.getSessionId()
                + ", expected="
                + session);
      }
    } finally {
      // closes the session for all clients that share it
      stolen.close();
    }
  }

  static ZooKeeper connected(ZooKeeper client) throws Exception {
    Await.until(
        "a connection to ZooKeeper", LIMIT, () -> client.getState() == ZooKeeper.States.CONNECTED);
    return client;
  }
}
