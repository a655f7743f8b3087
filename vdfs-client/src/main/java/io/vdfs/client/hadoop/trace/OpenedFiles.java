package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.trace.names.TracedUri;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.impl.OpenFileParameters;

/**
 * Translates requests and results of {@code openFile()} between callers and the filesystem inside.
 */
final class OpenedFiles {
  private OpenedFiles() {}

  /** The request with the status that the filesystem inside gave. */
  static OpenFileParameters inside(OpenFileParameters parameters, TracedUri uri) {
    return parameters.withStatus(uri.innerStatus(parameters.getStatus()));
  }

  /** The promised stream, traced; it fails with the very same exception. */
  static CompletableFuture<FSDataInputStream> traced(
      CompletableFuture<FSDataInputStream> promised, UnaryOperator<FSDataInputStream> tracing) {
    CompletableFuture<FSDataInputStream> traced = new CompletableFuture<>();
    var unused =
        promised.whenComplete(
            (in, failure) -> {
              if (failure != null) {
                traced.completeExceptionally(failure);
              } else {
                traced.complete(tracing.apply(in));
              }
            });
    return traced;
  }
}
