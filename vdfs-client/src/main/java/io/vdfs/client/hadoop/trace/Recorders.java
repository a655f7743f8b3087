package io.vdfs.client.hadoop.trace;

import io.vdfs.client.trace.TraceHeader;
import io.vdfs.client.trace.TraceRecorder;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recorders of this process: one for each sink, as long as a traced filesystem uses it. What is
 * still in use when the process ends is ended then, after the filesystems. Thread-safe.
 */
final class Recorders {
  private static final Logger LOG = LoggerFactory.getLogger(Recorders.class);

  static final Recorders JVM = new Recorders();

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);

  private final Map<Path, Shared> bySink = new HashMap<>(); // guarded by this
  private int made; // guarded by this
  private boolean hooked; // guarded by this

  /**
   * A recorder and the filesystem of its sink. The latter is opened by the writer and closed by the
   * thread that ends the trace: closing a filesystem takes Hadoop's lock on all of them, which
   * {@code FileSystem.closeAll} holds while it waits for us.
   */
  private static final class Shared {
    private final TraceRecorder recorder;
    private final AtomicReference<FileSystem> sink;
    private int users;

    Shared(TraceRecorder recorder, AtomicReference<FileSystem> sink) {
      this.recorder = recorder;
      this.sink = sink;
    }

    void end() {
      recorder.close();
      FileSystem opened = sink.getAndSet(null);
      if (opened != null) {
        try {
          opened.close();
        } catch (IOException | RuntimeException e) {
          LOG.warn("cannot close the sink of a trace: sink={}", opened.getUri(), e);
        }
      }
    }
  }

  /** The recorder of a sink, to be released; the settings of the first caller count. */
  synchronized TraceRecorder acquire(TraceSettings settings, Configuration conf)
      throws IOException {
    Shared shared = bySink.get(settings.sink());
    if (shared == null) {
      shared = start(settings, conf);
      bySink.put(settings.sink(), shared);
      hookOnce();
    }
    shared.users++;
    return shared.recorder;
  }

  private Shared start(TraceSettings settings, Configuration conf) throws IOException {
    TraceHeader header = TraceFiles.header(conf);
    Path file = TraceFiles.path(settings.sink(), header, made++);
    URI sink = InnerFileSystems.sinkUri(settings, conf);
    UserGroupInformation user = UserGroupInformation.getCurrentUser();
    AtomicReference<FileSystem> opened = new AtomicReference<>();
    TraceRecorder recorder =
        new TraceRecorder(
            header,
            file.toString(),
            () -> {
              opened.set(TraceFiles.sink(sink, conf, user));
              return TraceFiles.create(file, opened.get());
            },
            settings.queueRecords(),
            settings.flush(),
            CLOSE_LIMIT);
    return new Shared(recorder, opened);
  }

  /** Ends the trace if it is not in use elsewhere. */
  void release(TraceRecorder recorder) {
    unused(recorder).ifPresent(Shared::end);
  }

  private synchronized Optional<Shared> unused(TraceRecorder recorder) {
    for (Shared shared : bySink.values()) {
      if (shared.recorder == recorder) {
        shared.users--;
        return shared.users == 0 && bySink.values().remove(shared)
            ? Optional.of(shared)
            : Optional.empty();
      }
    }
    return Optional.empty();
  }

  private void hookOnce() {
    if (!hooked && !ShutdownHookManager.get().isShutdownInProgress()) {
      hooked = true;
      ShutdownHookManager.get()
          .addShutdownHook(
              this::closeAll,
              FileSystem.SHUTDOWN_HOOK_PRIORITY - 1,
              CLOSE_LIMIT.toSeconds() + 1,
              TimeUnit.SECONDS);
    }
  }

  private void closeAll() {
    List<Shared> open;
    synchronized (this) {
      open = List.copyOf(bySink.values());
      bySink.clear();
    }
    open.forEach(Shared::end);
  }
}
