package io.vdfs.datanode;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.FileExistsQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.store.FileRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Asks the leader of the metadata for files. Thread-safe. */
final class MetadataFiles implements FileRegistry {
  private final Function<MetaRequest, CompletableFuture<MetaResponse>> leader;
  private final Duration limit;

  /**
   * @param leader takes requests to the leader as the daemon's own user; errors are in responses
   * @param limit how long a question may take
   */
  MetadataFiles(Function<MetaRequest, CompletableFuture<MetaResponse>> leader, Duration limit) {
    this.leader = leader;
    this.limit = limit;
  }

  @Override
  public boolean exists(FileKey file) throws VdfsException {
    FileExistsQuery query = FileExistsQuery.newBuilder().setFile(WireIds.encode(file)).build();
    MetaRequest question = MetaRequest.newBuilder().setFileExists(query).build();
    try {
      MetaResponse response = leader.apply(question).get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (response.hasError()) {
        throw unknown(file, WireIds.exception(response.getError()));
      }
      return response.getFileExists().getExists();
    } catch (ExecutionException e) {
      throw unknown(file, e.getCause());
    } catch (TimeoutException e) {
      throw unknown(file, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw unknown(file, e);
    }
  }

  private static VdfsException unknown(FileKey file, Throwable cause) {
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "can't find out whether the file was deleted: file=" + file + ", cause=" + cause,
        cause);
  }
}
