package io.vdfs.client.hadoop.cluster;

import io.vdfs.client.VdfsClient;
import io.vdfs.common.concurrent.DaemonThreads;
import java.lang.ref.Cleaner;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The clients of this JVM, one per cluster and user, each for as long as it is in use. Closing one
 * filesystem thus never tears down what another one uses.
 *
 * <p>Thread-safe: {@code clients} and the counts in it are guarded by this object's lock.
 */
public final class SharedClients {
  /** Those of this JVM. */
  public static final SharedClients JVM = new SharedClients();

  /**
   * Releases what belongs to objects that are no longer reachable. The JDK's own cleaner thread may
   * not start threads that inherit from it, as Netty does.
   */
  public static final Cleaner CLEANER = Cleaner.create(SharedClients::cleanerThread);

  private final Map<ClientKey, Shared> clients = new HashMap<>();

  /**
   * A share in the client of a key.
   *
   * @param opener makes the client where there is none yet; must be quick and contact no server
   * @return a share, to be closed; one that is forgotten is closed by the garbage collector
   */
  public synchronized Lease acquire(ClientKey key, Supplier<VdfsClient> opener) {
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
  public synchronized int size() {
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
  public static final class Lease implements AutoCloseable {
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

    /** The key by which the client is shared. */
    public ClientKey key() {
      return key;
    }

    /** The client, which may be closed once the share is. */
    public VdfsClient client() {
      return client;
    }

    /** Whether this share has been closed; others in the client may be open. */
    public boolean isClosed() {
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
