package io.vdfs.datanode.meta.service;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Closes a file whose writer is gone, at a length that holds every byte the writer was told of and
 * that enough nodes hold. Confined to the service loop; one object serves many files.
 *
 * <pre>
 *   BeginRecovery (new epoch) -> {@link RecoveryAttempt}: fence -> read back -> copy, cut
 *     -> FinishRecovery (length, nodes left out)
 * </pre>
 *
 * <p>Any step may fail or find the epoch moved on; the attempt then ends and the file stays in
 * recovery for a later one. As long as attempts change nothing on any node, they go on under the
 * same epoch and add nothing to the log. One that has begun to change something ends its epoch, so
 * that what it has under way is refused later.
 */
final class LeaseRecovery {
  /** Attempts that have groups read back or copied at a time. */
  private static final int BULK_ATTEMPTS = 8;

  private final LeaderCalls calls;
  private final RecoverySurroundings around;
  private final Turns turns = new Turns(BULK_ATTEMPTS);

  /** Files that this object began to recover, as the metadata described them then. */
  private final Map<FileKey, StatusProto> begun = new HashMap<>();

  LeaseRecovery(LeaderCalls calls, RecoverySurroundings around) {
    this.calls = calls;
    this.around = around;
  }

  /**
   * Makes one attempt.
   *
   * @param epoch the file's write epoch as the leader saw it
   * @param accept whether to close on fewer copies than a file must have, at what can be read
   * @return what was found, once the file is closed or no longer this leader's to close; fails with
   *     the reason why the file had to be left in recovery
   */
  CompletableFuture<String> recover(FileKey file, int epoch, boolean accept) {
    StatusProto known = begun.remove(file);
    return known != null && known.getWriteEpoch() == epoch
        ? attempt(file, known, accept)
        : begin(file, epoch, accept);
  }

  /** Forgets files that are not being written any more. */
  void retain(Collection<FileKey> open) {
    begun.keySet().retainAll(open);
  }

  private CompletableFuture<String> begin(FileKey file, int epoch, boolean accept) {
    MetaRequest request =
        MetaRequest.newBuilder()
            .setBeginRecovery(
                BeginRecoveryOp.newBuilder().setFile(WireIds.encode(file)).setWriteEpoch(epoch))
            .build();
    return calls
        .call(request)
        .thenComposeAsync(
            response ->
                response.hasError()
                    ? ended(response)
                    : attempt(file, response.getOpenFile().getStatus(), accept),
            around.loop());
  }

  private CompletableFuture<String> attempt(FileKey file, StatusProto status, boolean accept) {
    RecoveryAttempt attempt = new RecoveryAttempt(file, status, accept, around, turns);
    return attempt
        .run()
        .thenComposeAsync(closing -> finish(closing, attempt.found()), around.loop())
        .whenCompleteAsync(
            (found, failure) -> {
              if (failure != null && !attempt.hasChanged()) {
                begun.put(file, status);
              }
            },
            around.loop());
  }

  private CompletableFuture<String> finish(MetaRequest closing, String found) {
    return calls
        .call(closing)
        .thenComposeAsync(
            response ->
                response.hasError() ? ended(response) : CompletableFuture.completedFuture(found),
            around.loop());
  }

  /**
   * Handles an error of the metadata: the file has moved on without this recovery, or the error
   * will pass.
   */
  private static CompletableFuture<String> ended(MetaResponse response) {
    ErrorCode code = WireIds.errorCode(response.getError());
    return switch (code) {
      case FENCED, NOT_FOUND, FILE_CHANGED ->
          CompletableFuture.completedFuture("the file is closed or in other hands");
      default -> CompletableFuture.failedFuture(WireIds.exception(response.getError()));
    };
  }
}
