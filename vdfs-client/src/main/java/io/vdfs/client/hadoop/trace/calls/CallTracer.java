package io.vdfs.client.hadoop.trace.calls;

import io.vdfs.client.hadoop.trace.names.TracedUri;
import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceRecorder;
import io.vdfs.client.trace.TraceSlot;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/** Times calls and records them with their outcome. Thread-safe. */
public final class CallTracer {
  private final TraceRecorder recorder;
  private final String root;
  private final Supplier<Path> workingDirectory;

  /** A call to trace. */
  @FunctionalInterface
  public interface Call<T> {
    T run() throws IOException;
  }

  /** A call without a result. */
  @FunctionalInterface
  public interface Step {
    void run() throws IOException;
  }

  /**
   * @param workingDirectory of the filesystem inside, where relative paths begin
   */
  public CallTracer(TraceRecorder recorder, TracedUri uri, Supplier<Path> workingDirectory) {
    this.recorder = recorder;
    this.workingDirectory = workingDirectory;
    String authority = uri.inner().getRawAuthority();
    this.root = uri.inner().getScheme() + "://" + (authority == null ? "" : authority);
  }

  public TraceRecorder recorder() {
    return recorder;
  }

  /**
   * How a path stands in the trace: under the filesystem inside.
   *
   * @param path null gives null
   */
  public String name(Path path) {
    if (path == null) {
      return null;
    }
    Path absolute = path.isAbsolute() ? path : new Path(workingDirectory.get(), path);
    return root + absolute.toUri().getPath();
  }

  public <T> T call(TraceOp op, Path path, Call<T> call) throws IOException {
    return call(op, path, null, call);
  }

  /**
   * @param target the other path of the call, or null
   */
  public <T> T call(TraceOp op, Path path, String target, Call<T> call) throws IOException {
    long start = System.nanoTime();
    try {
      T result = call.run();
      claim(op, start, path, target).result(number(result)).publish();
      return result;
    } catch (IOException | RuntimeException | Error e) {
      claim(op, start, path, target).failure(e).publish();
      throw e;
    }
  }

  public void run(TraceOp op, Path path, Step step) throws IOException {
    run(op, path, null, step);
  }

  public void run(TraceOp op, Path path, String target, Step step) throws IOException {
    call(
        op,
        path,
        target,
        () -> {
          step.run();
          return null;
        });
  }

  /** Records a call once what it promised has come or failed; a call that fails at once, too. */
  public <T> CompletableFuture<T> future(TraceOp op, Path path, Call<CompletableFuture<T>> call)
      throws IOException {
    long start = System.nanoTime();
    try {
      CompletableFuture<T> promised = call.run();
      var unused =
          promised.whenComplete(
              (result, failure) ->
                  claim(op, start, path, null).result(number(result)).failure(failure).publish());
      return promised;
    } catch (IOException | RuntimeException | Error e) {
      claim(op, start, path, null).failure(e).publish();
      throw e;
    }
  }

  public TraceSlot claim(TraceOp op, long start, Path path, String target) {
    return recorder.claim(op, start).path(name(path)).target(target);
  }

  private static long number(Object result) {
    if (result instanceof Boolean answer) {
      return answer ? 1 : 0;
    }
    if (result instanceof Number number) {
      return number.longValue();
    }
    if (result instanceof FileStatus status) {
      return status.getLen();
    }
    return result instanceof Object[] list ? list.length : TraceSlot.NONE;
  }
}
