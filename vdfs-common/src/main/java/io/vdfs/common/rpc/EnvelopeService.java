package io.vdfs.common.rpc;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.ipc.VdfsIpc.Envelope;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.hadoop.ipc.ProtobufRpcEngine2;
import org.apache.hadoop.ipc.ProtobufRpcEngineCallback2;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.thirdparty.protobuf.ByteString;
import org.apache.hadoop.thirdparty.protobuf.RpcController;
import org.apache.hadoop.thirdparty.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands each envelope to the handler of its method and answers when the handler's stage completes,
 * in time or not: an IPC connection waits for ever for an answer that never comes.
 */
final class EnvelopeService implements VdfsControlPB {
  private static final Logger LOG = LoggerFactory.getLogger(EnvelopeService.class);

  private final Map<String, ControlHandler> handlers;
  private final Duration limit;
  private final CallShares shares;

  EnvelopeService(Map<String, ControlHandler> handlers, Duration limit, CallShares shares) {
    this.handlers = Map.copyOf(handlers);
    this.limit = limit;
    this.shares = shares;
  }

  @Override
  public Envelope call(RpcController controller, Envelope request) {
    String method = request.getMethod();
    CompletableFuture<byte[]> answer = dispatch(method, request.getBody());
    if (answer.isDone()) {
      return envelope(method, outcome(method, answer));
    }
    // From here on nothing may throw: the engine would take the next call for a deferred one.
    ProtobufRpcEngineCallback2 later = ProtobufRpcEngine2.Server.registerForDeferredResponse2();
    var unused =
        answer.handle(
            (body, error) -> {
              later.setResponse(envelope(method, error == null ? body : failure(method, error)));
              return null;
            });
    return null;
  }

  private CompletableFuture<byte[]> dispatch(String method, ByteString body) {
    try {
      ControlHandler handler = handlers.get(method);
      if (handler == null) {
        throw new VdfsException(ErrorCode.UNSUPPORTED, "no such control method: method=" + method);
      }
      if (body.size() > ControlMethods.MAX_BODY_BYTES) {
        throw new VdfsException(
            ErrorCode.INVALID_ARGUMENT,
            "request too large: method=%s, bytes=%d, limit=%d"
                .formatted(method, body.size(), ControlMethods.MAX_BODY_BYTES));
      }
      UserGroupInformation user = Server.getRemoteUser();
      if (user == null) {
        throw new VdfsException(
            ErrorCode.PERMISSION_DENIED, "the connection names no user: method=" + method);
      }
      return shared(user, method, body, handler);
    } catch (VdfsException | RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The call counts until it is answered, even if only for the lack of an outcome in time. */
  private CompletableFuture<byte[]> shared(
      UserGroupInformation user, String method, ByteString body, ControlHandler handler)
      throws VdfsException {
    String name = user.getShortUserName();
    boolean ofNode = method.equals(ControlMethods.NODE);
    shares.enter(name, ofNode, body.size());
    boolean begun = false;
    try {
      CompletionStage<byte[]> answer =
          handler.handle(new ControlCall(user, Server.getRemoteAddress(), body.toByteArray()));
      begun = true;
      // a copy, so that the time limit leaves the handler's own stage alone
      return answer
          .toCompletableFuture()
          .copy()
          .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
          .whenComplete((done, error) -> shares.leave(name, ofNode, body.size()));
    } finally {
      if (!begun) {
        shares.leave(name, ofNode, body.size());
      }
    }
  }

  private byte[] outcome(String method, CompletableFuture<byte[]> done) {
    try {
      return done.join();
    } catch (RuntimeException e) {
      return failure(method, e);
    }
  }

  private byte[] failure(String method, Throwable error) {
    Throwable cause = Causes.of(error);
    if (cause instanceof VdfsException known) {
      return Errors.response(known).toByteArray();
    }
    if (cause instanceof TimeoutException) {
      return Errors.response(
              ErrorCode.UNAVAILABLE,
              "no outcome in time, the call happened or not: method=%s, limitMillis=%d"
                  .formatted(method, limit.toMillis()))
          .toByteArray();
    }
    LOG.error("control call failed: method={}", method, cause);
    return Errors.response(
            ErrorCode.INTERNAL, "control call failed: method=%s, error=%s".formatted(method, cause))
        .toByteArray();
  }

  private static Envelope envelope(String method, byte[] body) {
    return Envelope.newBuilder()
        .setMethod(method)
        .setBody(UnsafeByteOperations.unsafeWrap(body))
        .build();
  }
}
