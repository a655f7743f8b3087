package io.vdfs.common.error;

/**
 * Why an operation failed, as it travels between processes. The Hadoop edge maps each code to
 * Hadoop's own exception in one place. Names are part of the wire format: never rename one.
 */
public enum ErrorCode {
  /** A path, file, session or other named thing does not exist. */
  NOT_FOUND,
  ALREADY_EXISTS,
  NOT_A_DIRECTORY,
  IS_A_DIRECTORY,
  DIRECTORY_NOT_EMPTY,
  PERMISSION_DENIED,
  /** The caller's argument can never work: the message names it and the cure. */
  INVALID_ARGUMENT,
  /** Another client is writing the file. */
  LEASE_CONFLICT,
  /** The caller's lease or write epoch is over; what it writes is refused for good. */
  FENCED,
  /**
   * A node does not accept a writer's ticket; the metadata leader gives a fresh one, or says why
   * not.
   */
  STALE_TICKET,
  /** The file is not the one the caller pinned: replaced, truncated or grown. */
  FILE_CHANGED,
  /** Bytes do not match the writer's checksum. */
  CORRUPT,
  /** No replica or node that could serve is reachable now; may pass. */
  UNAVAILABLE,
  /** The node asked is not the leader; the detail may name the leader. */
  NOT_LEADER,
  /** The caller's ring map is older than the node's. */
  STALE_RING,
  /** Whether an earlier try of the call took effect is not known any more; this one did not. */
  OUTCOME_UNKNOWN,
  NO_SPACE,
  QUOTA_EXCEEDED,
  UNSUPPORTED,
  /** A daemon is misconfigured; the message names the key. */
  MISCONFIGURED,
  /** An I/O error of a volume. */
  IO_ERROR,
  /** A defect of VDFS itself. */
  INTERNAL
}
