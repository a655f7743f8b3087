package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.trace.calls.CallTracer;
import io.vdfs.client.hadoop.trace.names.TracedUri;
import io.vdfs.client.trace.TraceOp;
import java.io.IOException;
import java.net.URI;
import java.util.Collection;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;

/**
 * A filesystem that stands before another one: it has names of its own for the other's paths, and
 * passes calls on under those of the one inside, each recorded by a {@link CallTracer}. Its
 * subclasses define the calls. As thread-safe as the filesystem inside.
 */
public abstract class PassingFileSystem extends FilterFileSystem {
  /** A call to the filesystem inside. */
  @FunctionalInterface
  interface Inside<T> {
    T on(Path path) throws IOException;
  }

  /** A call without a result. */
  @FunctionalInterface
  interface Step {
    void on(Path path) throws IOException;
  }

  private TracedUri uri;
  private CallTracer tracer;

  PassingFileSystem() {}

  /**
   * Begins to pass calls on to {@code fs}.
   *
   * @param uri what both filesystems are called
   */
  final void standsFor(TracedUri uri) {
    this.uri = uri;
  }

  /** Has calls recorded from now on. */
  final void tracedBy(CallTracer tracer) {
    this.tracer = tracer;
  }

  final TracedUri uri() {
    return uri;
  }

  final CallTracer tracer() {
    return tracer;
  }

  /** The path that the filesystem inside, {@link #getRawFileSystem}, has for one of this one. */
  public final Path innerPath(Path path) {
    return uri.inner(path);
  }

  /** The path that this filesystem has for one of the filesystem inside. */
  public final Path outerPath(Path path) {
    return uri.outer(path);
  }

  final <T> T call(TraceOp op, Path path, Inside<T> step) throws IOException {
    Path inside = uri.inner(path);
    return tracer.call(op, inside, () -> step.on(inside));
  }

  final <T> T call(TraceOp op, Path path, String target, Inside<T> step) throws IOException {
    Path inside = uri.inner(path);
    return tracer.call(op, inside, target, () -> step.on(inside));
  }

  final void run(TraceOp op, Path path, Step step) throws IOException {
    Path inside = uri.inner(path);
    tracer.run(op, inside, () -> step.on(inside));
  }

  @Override
  public String getScheme() {
    return TracedUri.SCHEME;
  }

  @Override
  public URI getUri() {
    return uri.outer();
  }

  @Override
  protected URI getCanonicalUri() {
    return uri.outer();
  }

  @Override
  protected URI canonicalizeUri(URI name) {
    return name;
  }

  @Override
  public Path makeQualified(Path path) {
    checkPath(path);
    return path.makeQualified(uri.outer(), getWorkingDirectory());
  }

  @Override
  protected void checkPath(Path path) {
    super.checkPath(uri.inner(path));
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    fs.setWorkingDirectory(uri.inner(directory));
  }

  @Override
  public Path getWorkingDirectory() {
    return uri.outer(fs.getWorkingDirectory());
  }

  @Override
  protected Path getInitialWorkingDirectory() {
    return uri.outer(super.getInitialWorkingDirectory());
  }

  @Override
  public Path getHomeDirectory() {
    return uri.outer(fs.getHomeDirectory());
  }

  @Override
  public Path getTrashRoot(Path path) {
    return uri.outer(fs.getTrashRoot(uri.inner(path)));
  }

  @Override
  public Collection<FileStatus> getTrashRoots(boolean allUsers) {
    return fs.getTrashRoots(allUsers).stream().map(uri::outerStatus).toList();
  }
}
