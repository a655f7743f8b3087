package io.vdfs.client.hadoop.streams;

import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.concurrent.Interrupts;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * The files that one filesystem has open for writing, so that it can complete them when it is
 * closed. A file that is being opened meanwhile is waited for and completed too; if that takes too
 * long, the thread that opens it completes it and is refused. Thread-safe: the monitor guards all
 * fields; it is held for short steps only.
 *
 * <pre>
 *   OPEN --completeAll--> CLOSING --all opened, or time is up--> CLOSED
 * </pre>
 */
public final class OpenStreams {
  /** Below the 30 s after which Hadoop ends the shutdown hook that closes all filesystems. */
  public static final Duration LIMIT = Duration.ofSeconds(25);

  private static final int MOST_THREADS = 64;
  private static final int MOST_NAMED = 100;

  private enum State {
    OPEN,
    CLOSING,
    CLOSED
  }

  private final Duration limit;
  private final Set<VdfsOutputStream> streams = new LinkedHashSet<>();
  private int opening;
  private State state = State.OPEN;

  /** Opens a file. */
  @FunctionalInterface
  public interface Opener {
    VdfsOutputStream open() throws IOException;
  }

  /**
   * None is open yet.
   *
   * @param limit of {@link #completeAll}
   */
  public OpenStreams(Duration limit) {
    this.limit = limit;
  }

  /**
   * Opens a file and keeps it until {@link #remove}.
   *
   * @throws IOException also if the filesystem was closed, or has been closed meanwhile: the file
   *     is complete then, as empty or as long as it was
   */
  public VdfsOutputStream open(Opener opener) throws IOException {
    begin();
    VdfsOutputStream stream = null;
    boolean late;
    try {
      stream = opener.open();
    } finally {
      late = end(stream);
    }
    if (late) {
      throw refused(stream);
    }
    return stream;
  }

  private static IOException refused(VdfsOutputStream late) {
    IOException refusal =
        new IOException("Filesystem closed while a file was opened: path=" + late.path());
    try {
      late.close();
    } catch (IOException e) {
      refusal.addSuppressed(e);
    }
    return refusal;
  }

  private synchronized void begin() throws IOException {
    if (state != State.OPEN) {
      throw new IOException("Filesystem closed");
    }
    opening++;
  }

  /** Whether the stream, if there is one, comes too late to be completed by the filesystem. */
  private synchronized boolean end(VdfsOutputStream stream) {
    opening--;
    notifyAll();
    if (stream == null || state == State.CLOSED) {
      return stream != null;
    }
    streams.add(stream);
    return false;
  }

  /** Forgets a stream that has ended; does nothing if it is not known. */
  public synchronized void remove(VdfsOutputStream stream) {
    streams.remove(stream);
  }

  /**
   * Completes all files side by side, within the limit in all; opens no more. A call of another
   * thread to a stream ends first. What is not complete in time is given up.
   *
   * @throws IOException naming the files that are not complete, and why
   */
  public void completeAll() throws IOException {
    long deadline = System.nanoTime() + limit.toNanos();
    ExecutorService workers = Executors.newFixedThreadPool(MOST_THREADS, OpenStreams::worker);
    Map<VdfsOutputStream, Future<?>> completions = new LinkedHashMap<>();
    try {
      take(State.CLOSING).forEach(s -> completions.put(s, complete(s, workers, deadline)));
      awaitOpening(deadline);
      take(State.CLOSED).forEach(s -> completions.put(s, complete(s, workers, deadline)));
      check(await(completions, deadline));
    } catch (InterruptedException e) {
      take(State.CLOSED).forEach(VdfsOutputStream::abandon);
      completions.keySet().forEach(VdfsOutputStream::abandon);
      throw Interrupts.during("files were completed: paths=" + paths(completions.keySet()), e);
    } finally {
      workers.shutdown();
    }
  }

  private static Thread worker(Runnable task) {
    Thread thread = DaemonThreads.of("vdfs-file-completer", task);
    return thread;
  }

  private synchronized List<VdfsOutputStream> take(State next) {
    state = next;
    List<VdfsOutputStream> taken = List.copyOf(streams);
    streams.clear();
    return taken;
  }

  private static Future<?> complete(
      VdfsOutputStream stream, ExecutorService workers, long deadline) {
    return workers.submit(
        () -> {
          stream.complete(left(deadline));
          return null;
        });
  }

  private synchronized void awaitOpening(long deadline) throws InterruptedException {
    for (long left = left(deadline); opening > 0 && left > 0; left = left(deadline)) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private Map<VdfsOutputStream, Throwable> await(
      Map<VdfsOutputStream, Future<?>> completions, long deadline) throws InterruptedException {
    Map<VdfsOutputStream, Throwable> failures = new LinkedHashMap<>();
    for (Map.Entry<VdfsOutputStream, Future<?>> entry : completions.entrySet()) {
      VdfsOutputStream stream = entry.getKey();
      try {
        entry.getValue().get(left(deadline), TimeUnit.NANOSECONDS);
      } catch (ExecutionException e) {
        stream.abandon();
        failures.put(stream, e.getCause());
      } catch (TimeoutException e) {
        stream.abandon();
        failures.put(stream, new IOException("not within " + limit.toMillis() + " ms", e));
      }
    }
    return failures;
  }

  private static long left(long deadline) {
    return Math.max(0, deadline - System.nanoTime());
  }

  private static void check(Map<VdfsOutputStream, Throwable> failures) throws IOException {
    if (failures.isEmpty()) {
      return;
    }
    IOException incomplete =
        new IOException(
            ("files are not complete; they stay open until their leases are recovered:"
                    + " files=%s, paths=%s")
                .formatted(failures.size(), paths(failures.keySet())));
    failures.values().stream().limit(MOST_NAMED).forEach(incomplete::addSuppressed);
    throw incomplete;
  }

  private static String paths(Set<VdfsOutputStream> streams) {
    return streams.stream()
        .limit(MOST_NAMED)
        .map(stream -> stream.path().toString())
        .collect(Collectors.joining(", ", "[", streams.size() > MOST_NAMED ? ", ...]" : "]"));
  }
}
