package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.common.concurrent.DaemonThreads;
import java.lang.ref.Cleaner;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The clients of this JVM, one per cluster and user, each for as long as somebody uses it. Closing
 * one filesystem thus never tears down what another one uses.
 *
 * <p>Thread-safe: {@code clients} and the counts in it are guarded by this object's lock.
 */
final class SharedClients {
  /** Those of this JVM. */
  static final SharedClients JVM = new SharedClients();

  /** The JDK's own thread may not start others that inherit from it, as Netty does. */
  static final Cleaner CLEANER = Cleaner.create(SharedClients::cleanerThread);

  private final Map<ClientKey, Shared> clients = new HashMap<>();

  /**
   * @param opener makes the client where there is none yet; must be quick and contact nobody
   * @return a share, to be closed; one that is forgotten is closed by the garbage collector
   */
  synchronized Lease acquire(ClientKey key, Supplier<VdfsClient> opener) {
    Shared shared = clients.computeIfAbsent(key, missing -> new Shared(opener.get()));
    shared.users++;
    return new Lease(key, shared.client, () -> release(key, shared));
  }

  private static Thread cleanerThread(Runnable work) {
    Thread thread = DaemonThreads.of("vdfs-client-cleaner", work);
    return thread;
  }

  private void release(ClientKey key, Shared shared) {
    synchronized (this) {
      if (--shared.users > 0) {
        return;
      }
      clients.remove(key, shared);
    }
    shared.client.close();
  }

  /** Number of clients in use. */
  synchronized int size() {
    return clients.size();
  }

  private static final class Shared {
    private final VdfsClient client;
    private int users;

    Shared(VdfsClient client) {
      this.client = client;
    }
  }

  /** A share in a client. Thread-safe. */
  static final class Lease implements AutoCloseable {
    private final ClientKey key;
    private final VdfsClient client;
    private final Cleaner.Cleanable release;
    private volatile boolean closed;

    /**
     * @param onRelease must not refer to the lease
     */
    private Lease(ClientKey key, VdfsClient client, Runnable onRelease) {
      this.key = key;
      this.client = client;
      this.release = CLEANER.register(this, onRelease);
    }

    ClientKey key() {
      return key;
    }

    VdfsClient client() {
      return client;
    }

    boolean isClosed() {
      return closed;
    }

    /** Idempotent. */
    @Override
    public void close() {
      closed = true;
      release.clean();
    }
  }
}
