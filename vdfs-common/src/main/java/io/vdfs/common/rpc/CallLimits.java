package io.vdfs.common.rpc;

/**
 * How much of a control server the calls of one user, and of all together, may take. Immutable.
 *
 * @param userCalls of one user under way
 * @param userBytes of bodies of these
 * @param calls of all users under way
 * @param bytes of bodies of these
 * @param connections that may be open; each may make the server set aside the largest body before
 *     its user has logged in
 */
public record CallLimits(int userCalls, long userBytes, int calls, long bytes, int connections) {
  /** Bytes that Hadoop puts around a body; a little above what it really needs. */
  private static final int ENVELOPE_BYTES = 16 << 10;

  /** Bytes that a connection may announce; the server sets them aside before it reads any. */
  static final int MAX_CALL_BYTES = ControlMethods.MAX_BODY_BYTES + ENVELOPE_BYTES;

  /** Ten calls under way from each of two hundred containers of one user. */
  public static final int DEFAULT_USER_CALLS = 2_000;

  /** Divisor: the share of one user in the bytes of all, and of connections in the open files. */
  private static final int USERS = 4;

  private static final int ALL_CALLS = 20_000;

  /** Divisors of the heap: the parts that calls, and connections that announce one, may take. */
  private static final int CALLS_PART = 8;

  private static final int CONNECTIONS_PART = 4;
  private static final int LEAST_CONNECTIONS = 64;

  public CallLimits {
    if (userCalls < 1 || userBytes < 1 || calls < 1 || bytes < 1 || connections < 1) {
      throw new IllegalArgumentException(
          "limits must be positive: userCalls=%d, userBytes=%d, calls=%d, bytes=%d, connections=%d"
              .formatted(userCalls, userBytes, calls, bytes, connections));
    }
  }

  /**
   * The limits that the memory of a process bears.
   *
   * @param heap its most bytes
   * @param openFiles most files and connections that it may have open
   */
  public static CallLimits within(long heap, long openFiles, int userCalls) {
    long body = ControlMethods.MAX_BODY_BYTES;
    long bytes = Math.max(USERS * body, heap / CALLS_PART);
    long connections = Math.min(heap / CONNECTIONS_PART / MAX_CALL_BYTES, openFiles / USERS);
    return new CallLimits(
        userCalls,
        bytes / USERS,
        Math.max(ALL_CALLS, userCalls),
        bytes,
        (int) Math.max(LEAST_CONNECTIONS, Math.min(Integer.MAX_VALUE, connections)));
  }
}
