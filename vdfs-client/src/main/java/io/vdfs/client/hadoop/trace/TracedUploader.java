package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.trace.calls.CallTracer;
import io.vdfs.client.hadoop.trace.names.TracedUri;
import io.vdfs.client.trace.TraceOp;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.MultipartUploader;
import org.apache.hadoop.fs.PartHandle;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.UploadHandle;
import org.apache.hadoop.fs.statistics.IOStatistics;

/**
 * An uploader around another one: each step is recorded once it is over. As thread-safe as that.
 */
final class TracedUploader implements MultipartUploader {
  private final MultipartUploader uploader;
  private final TracedUri uri;
  private final CallTracer tracer;

  TracedUploader(MultipartUploader uploader, TracedUri uri, CallTracer tracer) {
    this.uploader = uploader;
    this.uri = uri;
    this.tracer = tracer;
  }

  @Override
  public CompletableFuture<UploadHandle> startUpload(Path path) throws IOException {
    Path inside = uri.inner(path);
    return traced(TraceOp.UPLOAD_START, inside, () -> uploader.startUpload(inside));
  }

  @Override
  public CompletableFuture<PartHandle> putPart(
      UploadHandle upload,
      int partNumber,
      boolean isLastPart,
      Path path,
      InputStream from,
      long length)
      throws IOException {
    Path inside = uri.inner(path);
    return traced(
        TraceOp.UPLOAD_PART,
        inside,
        () -> uploader.putPart(upload, partNumber, isLastPart, inside, from, length));
  }

  @Override
  public CompletableFuture<PathHandle> complete(
      UploadHandle upload, Path path, Map<Integer, PartHandle> parts) throws IOException {
    Path inside = uri.inner(path);
    return traced(TraceOp.UPLOAD_COMPLETE, inside, () -> uploader.complete(upload, inside, parts));
  }

  @Override
  public CompletableFuture<Void> abort(UploadHandle upload, Path path) throws IOException {
    Path inside = uri.inner(path);
    return traced(TraceOp.UPLOAD_ABORT, inside, () -> uploader.abort(upload, inside));
  }

  @Override
  public CompletableFuture<Integer> abortUploadsUnderPath(Path path) throws IOException {
    Path inside = uri.inner(path);
    return traced(TraceOp.UPLOAD_ABORT, inside, () -> uploader.abortUploadsUnderPath(inside));
  }

  private <T> CompletableFuture<T> traced(
      TraceOp op, Path path, CallTracer.Call<CompletableFuture<T>> step) throws IOException {
    return tracer.future(op, path, step);
  }

  @Override
  public IOStatistics getIOStatistics() {
    return uploader.getIOStatistics();
  }

  @Override
  public void close() throws IOException {
    uploader.close();
  }
}
