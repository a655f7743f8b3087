package io.vdfs.common.rpc;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the calls under way, all and by user, with the bytes of their bodies. Calls that nodes
 * pass on have no share of their own: many users have asked for them. Thread-safe: the monitor
 * guards all fields.
 */
final class CallShares {
  private record Share(int calls, long bytes) {
    static final Share NONE = new Share(0, 0);

    Share plus(int moreCalls, long moreBytes) {
      return new Share(calls + moreCalls, bytes + moreBytes);
    }
  }

  private final CallLimits limits;
  private final Map<String, Share> byUser = new HashMap<>();
  private Share all = Share.NONE;

  CallShares(CallLimits limits) {
    this.limits = limits;
  }

  /**
   * Takes a place for a call; {@link #leave} is to follow.
   *
   * @param ofNode whether a node passes it on, or the caller says so, which is found out at once if
   *     untrue
   * @throws VdfsException UNAVAILABLE if there is none
   */
  synchronized void enter(String user, boolean ofNode, int bytes) throws VdfsException {
    Share own = byUser.getOrDefault(user, Share.NONE).plus(1, bytes);
    Share together = all.plus(1, bytes);
    if (!ofNode && (own.calls() > limits.userCalls() || own.bytes() > limits.userBytes())) {
      throw refusal("a user", user, own, limits.userCalls(), limits.userBytes());
    }
    if (together.calls() > limits.calls() || together.bytes() > limits.bytes()) {
      throw refusal("all users", user, together, limits.calls(), limits.bytes());
    }
    if (!ofNode) {
      byUser.put(user, own);
    }
    all = together;
  }

  /** Gives the place back, with the arguments of {@link #enter}. */
  synchronized void leave(String user, boolean ofNode, int bytes) {
    all = all.plus(-1, -bytes);
    if (!ofNode) {
      byUser.computeIfPresent(user, (name, own) -> own.calls() == 1 ? null : own.plus(-1, -bytes));
    }
  }

  private static VdfsException refusal(
      String whose, String user, Share wanted, int calls, long bytes) {
    return new VdfsException(
        ErrorCode.UNAVAILABLE,
        "too many calls of %s are under way, try again: user=%s, calls=%d, limit=%d, bytes=%d, limit=%d"
            .formatted(whose, user, wanted.calls(), calls, wanted.bytes(), bytes));
  }
}
