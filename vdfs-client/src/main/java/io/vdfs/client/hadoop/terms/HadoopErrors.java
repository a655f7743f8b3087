package io.vdfs.client.hadoop.terms;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;

/** The one place where VDFS' errors become Hadoop's exceptions. Messages and causes stay. */
public final class HadoopErrors {
  /** What was being done: Hadoop has different exceptions for the same reason. */
  public enum Intent {
    /** Looking at a path: what lies below a file just isn't there. */
    LOOKUP,
    /** Opening or changing the bytes of a file. */
    OPEN,
    /** Making something at a path. */
    CREATE,
    /** Anything else. */
    CHANGE
  }

  /** A call that may fail as VDFS does. */
  @FunctionalInterface
  public interface Call<T> {
    T run() throws IOException;
  }

  /** A call without a result. */
  @FunctionalInterface
  public interface Action {
    void run() throws IOException;
  }

  /**
   * The answer of HDFS' NameNode about a file that is being written. Its clients get it as a {@link
   * RemoteException}, and some look for the name before they wait or recover the lease.
   */
  private static final String BEING_WRITTEN =
      "org.apache.hadoop.hdfs.protocol.AlreadyBeingCreatedException";

  private HadoopErrors() {}

  /**
   * Runs {@code call}.
   *
   * @param path that the call is about, named where the exception of Hadoop names one
   * @return what the call gave, which may be null
   * @throws IOException as {@link #exception} tells a {@link VdfsException}; others as they are
   */
  public static <T> T translate(Path path, Intent intent, Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (VdfsException e) {
      throw exception(path, intent, e);
    }
  }

  /**
   * The exception that Hadoop's callers expect for a failure.
   *
   * @param path that the call was about
   * @return to be thrown; {@code e} itself where Hadoop has nothing of its own
   * @throws UnsupportedOperationException of UNSUPPORTED, as Hadoop's callers expect
   */
  public static IOException exception(Path path, Intent intent, VdfsException e) {
    String message = e.getMessage();
    return switch (e.code()) {
      case NOT_FOUND -> caused(new FileNotFoundException(message), e);
      case ALREADY_EXISTS -> caused(new FileAlreadyExistsException(message), e);
      case NOT_A_DIRECTORY ->
          intent == Intent.LOOKUP
              ? caused(new FileNotFoundException(message), e)
              : caused(new ParentNotDirectoryException(message), e);
      case IS_A_DIRECTORY ->
          intent == Intent.OPEN || intent == Intent.LOOKUP
              ? caused(new FileNotFoundException(message), e)
              : caused(new FileAlreadyExistsException(message), e);
      case DIRECTORY_NOT_EMPTY -> caused(new PathIsNotEmptyDirectoryException(path.toString()), e);
      case PERMISSION_DENIED -> caused(new AccessControlException(message), e);
      case LEASE_CONFLICT -> caused(new RemoteException(BEING_WRITTEN, message), e);
      case FENCED, INVALID_ARGUMENT ->
          suppressing(new PathIOException(path.toString(), message), e);
      case FILE_CHANGED -> new FileChangedException(message, e);
      case CORRUPT -> caused(new ChecksumException(message, 0), e);
      case NO_SPACE, QUOTA_EXCEEDED -> new ClusterStorageCapacityExceededException(message, e);
      case UNSUPPORTED -> throw new UnsupportedOperationException(message, e);
      case UNAVAILABLE, NOT_LEADER, STALE_RING, OUTCOME_UNKNOWN, STALE_TICKET -> e;
      case MISCONFIGURED, IO_ERROR, INTERNAL -> e;
    };
  }

  /** As {@link #exception}, of lease recovery, whose callers tell failures by the words of HDFS. */
  public static IOException ofRecovery(Path path, VdfsException e) {
    return switch (e.code()) {
      case NOT_FOUND -> caused(new FileNotFoundException("File does not exist: " + path), e);
      case IS_A_DIRECTORY -> caused(new FileNotFoundException("Path is not a file: " + path), e);
      default -> exception(path, Intent.OPEN, e);
    };
  }

  /** Whether the failure says that the content is gone, also as the cause of another failure. */
  public static boolean saysGone(VdfsException e) {
    if (isGone(e.code())) {
      return true;
    }
    for (Throwable suppressed : e.getSuppressed()) {
      if (suppressed instanceof VdfsException reason && isGone(reason.code())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isGone(ErrorCode code) {
    return code == ErrorCode.NOT_FOUND || code == ErrorCode.FILE_CHANGED;
  }

  /** For exceptions that would repeat the message of their cause. */
  private static IOException suppressing(IOException exception, VdfsException reason) {
    exception.addSuppressed(reason);
    return exception;
  }

  private static <E extends IOException> E caused(E exception, VdfsException cause) {
    exception.initCause(cause);
    return exception;
  }
}
