package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.trace.calls.TracedInput;
import io.vdfs.client.hadoop.trace.calls.TracedOutput;
import io.vdfs.client.hadoop.trace.calls.TracedStream;
import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceRecorder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.EnumSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FutureDataInputStreamBuilder;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * The calls of Hadoop's filesystem that open files and make them, passed on and recorded, with
 * streams whose calls are recorded as well. As thread-safe as the filesystem inside, except for the
 * streams.
 */
public abstract class StreamTracingFileSystem extends AttributeTracingFileSystem {
  private TraceRecorder recorder;

  StreamTracingFileSystem() {}

  /** Records the calls of streams that are opened from now on. */
  final void streamsTracedBy(TraceRecorder recorder) {
    this.recorder = recorder;
  }

  private FSDataInputStream traced(FSDataInputStream in, String path) {
    return TracedInput.around(in, new TracedStream(recorder, path), statistics);
  }

  private FSDataOutputStream traced(FSDataOutputStream out, String path) throws IOException {
    return TracedOutput.around(out, new TracedStream(recorder, path), statistics);
  }

  private FSDataOutputStream output(TraceOp op, Path path, Inside<FSDataOutputStream> step)
      throws IOException {
    FSDataOutputStream out = call(op, path, step);
    statistics.incrementWriteOps(1);
    return traced(out, tracer().name(uri().inner(path)));
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    FSDataInputStream in = call(TraceOp.OPEN, path, inside -> fs.open(inside, bufferSize));
    statistics.incrementReadOps(1);
    return traced(in, tracer().name(uri().inner(path)));
  }

  @Override
  public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
    FSDataInputStream in =
        tracer().call(TraceOp.OPEN_HANDLE, null, () -> fs.open(handle, bufferSize));
    statistics.incrementReadOps(1);
    return traced(in, null);
  }

  @Override
  protected PathHandle createPathHandle(FileStatus status, Options.HandleOpt... options) {
    FileStatus inner = uri().innerStatus(status);
    try {
      return call(
          TraceOp.PATH_HANDLE, status.getPath(), path -> super.createPathHandle(inner, options));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public FutureDataInputStreamBuilder openFile(Path path) {
    return createDataInputStreamBuilder(this, path);
  }

  @Override
  public FutureDataInputStreamBuilder openFile(PathHandle handle) {
    return createDataInputStreamBuilder(this, handle);
  }

  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path path, OpenFileParameters parameters) throws IOException {
    Path inside = uri().inner(path);
    OpenFileParameters inner = OpenedFiles.inside(parameters, uri());
    statistics.incrementReadOps(1);
    return OpenedFiles.traced(
        tracer().future(TraceOp.OPEN, inside, () -> super.openFileWithOptions(inside, inner)),
        in -> traced(in, tracer().name(inside)));
  }

  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      PathHandle handle, OpenFileParameters parameters) throws IOException {
    OpenFileParameters inner = OpenedFiles.inside(parameters, uri());
    statistics.incrementReadOps(1);
    return OpenedFiles.traced(
        tracer().future(TraceOp.OPEN_HANDLE, null, () -> super.openFileWithOptions(handle, inner)),
        in -> traced(in, null));
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return output(
        TraceOp.CREATE,
        path,
        inside ->
            fs.create(inside, permission, overwrite, bufferSize, replication, blockSize, progress));
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      Options.ChecksumOpt checksumOpt)
      throws IOException {
    return output(
        opOf(flags),
        path,
        inside ->
            fs.create(
                inside,
                permission,
                flags,
                bufferSize,
                replication,
                blockSize,
                progress,
                checksumOpt));
  }

  /**
   * @param flags null is for the filesystem inside to refuse
   */
  static TraceOp opOf(EnumSet<CreateFlag> flags) {
    return flags != null && flags.contains(CreateFlag.APPEND) ? TraceOp.APPEND : TraceOp.CREATE;
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return output(
        opOf(flags),
        path,
        inside ->
            fs.createNonRecursive(
                inside, permission, flags, bufferSize, replication, blockSize, progress));
  }

  @Override
  @SuppressWarnings("deprecation") // what it passes on
  protected FSDataOutputStream primitiveCreate(
      Path path,
      FsPermission absolutePermission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      Options.ChecksumOpt checksumOpt)
      throws IOException {
    return output(
        opOf(flags),
        path,
        inside ->
            super.primitiveCreate(
                inside,
                absolutePermission,
                flags,
                bufferSize,
                replication,
                blockSize,
                progress,
                checksumOpt));
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    return output(TraceOp.APPEND, path, inside -> fs.append(inside, bufferSize, progress));
  }

  @Override
  public FSDataOutputStream append(
      Path path, int bufferSize, Progressable progress, boolean appendToNewBlock)
      throws IOException {
    return output(
        TraceOp.APPEND, path, inside -> fs.append(inside, bufferSize, progress, appendToNewBlock));
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"}) // as Hadoop declares it
  public FSDataOutputStreamBuilder createFile(Path path) {
    return builder(TraceOp.CREATE, path, fs.createFile(uri().inner(path)));
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"}) // as Hadoop declares it
  public FSDataOutputStreamBuilder appendFile(Path path) {
    return builder(TraceOp.APPEND, path, fs.appendFile(uri().inner(path)));
  }

  private TracedOutputBuilder builder(
      TraceOp op, Path path, FSDataOutputStreamBuilder<?, ?> inner) {
    return new TracedOutputBuilder(
        this, path, inner, build -> output(op, path, inside -> build.run()));
  }

  @Override
  @SuppressWarnings("rawtypes") // as Hadoop declares it
  public MultipartUploaderBuilder createMultipartUploader(Path basePath) throws IOException {
    return new TracedUploaderBuilder(
        (MultipartUploaderBuilder<?, ?>) fs.createMultipartUploader(uri().inner(basePath)),
        uri(),
        tracer());
  }
}
