package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.trace.calls.CallTracer;
import io.vdfs.client.hadoop.trace.names.TracedUri;
import io.vdfs.client.trace.TraceOp;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;

/** A bulk deletion around another one: one record for each page. As thread-safe as that. */
final class TracedBulkDelete implements BulkDelete {
  private final BulkDelete deletion;
  private final TracedUri uri;
  private final CallTracer tracer;

  private TracedBulkDelete(BulkDelete deletion, TracedUri uri, CallTracer tracer) {
    this.deletion = deletion;
    this.uri = uri;
    this.tracer = tracer;
  }

  /**
   * Has Hadoop's type, so that methods that return it can be verified beside a Hadoop that lacks
   * the type.
   */
  static BulkDelete of(FileSystem inner, Path basePath, TracedUri uri, CallTracer tracer)
      throws IOException {
    return new TracedBulkDelete(inner.createBulkDelete(uri.inner(basePath)), uri, tracer);
  }

  @Override
  public int pageSize() {
    return deletion.pageSize();
  }

  @Override
  public Path basePath() {
    return uri.outer(deletion.basePath());
  }

  @Override
  public List<Map.Entry<Path, String>> bulkDelete(Collection<Path> paths) throws IOException {
    List<Path> inside = paths.stream().map(uri::inner).toList();
    List<Map.Entry<Path, String>> failed =
        tracer.call(
            TraceOp.BULK_DELETE,
            deletion.basePath(),
            paths.size() + " paths",
            () -> deletion.bulkDelete(inside));
    return failed.stream()
        .map(entry -> Map.entry(uri.outer(entry.getKey()), entry.getValue()))
        .toList();
  }

  @Override
  public IOStatistics getIOStatistics() {
    return deletion.getIOStatistics();
  }

  @Override
  public void close() throws IOException {
    deletion.close();
  }
}
