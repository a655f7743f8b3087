package io.vdfs.client.hadoop.terms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.ParentNotDirectoryException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;

class HadoopErrorsTest {
  private static final Path PATH = new Path("/p");

  private static IOException of(ErrorCode code, Intent intent) {
    return assertThrows(
        IOException.class,
        () ->
            HadoopErrors.translate(
                PATH,
                intent,
                () -> {
                  throw new VdfsException(code, "what: value=1");
                }));
  }

  @Test
  void shouldHaveAnExceptionForEachCode() {
    Map<ErrorCode, Class<?>> expected = new EnumMap<>(ErrorCode.class);
    for (ErrorCode code : ErrorCode.values()) {
      expected.put(code, VdfsException.class);
    }
    expected.put(ErrorCode.NOT_FOUND, FileNotFoundException.class);
    expected.put(ErrorCode.ALREADY_EXISTS, FileAlreadyExistsException.class);
    expected.put(ErrorCode.NOT_A_DIRECTORY, ParentNotDirectoryException.class);
    expected.put(ErrorCode.IS_A_DIRECTORY, FileAlreadyExistsException.class);
    expected.put(ErrorCode.DIRECTORY_NOT_EMPTY, PathIsNotEmptyDirectoryException.class);
    expected.put(ErrorCode.PERMISSION_DENIED, AccessControlException.class);
    expected.put(ErrorCode.INVALID_ARGUMENT, PathIOException.class);
    expected.put(ErrorCode.LEASE_CONFLICT, RemoteException.class);
    expected.put(ErrorCode.FENCED, PathIOException.class);
    expected.put(ErrorCode.FILE_CHANGED, FileChangedException.class);
    expected.put(ErrorCode.CORRUPT, ChecksumException.class);
    expected.put(ErrorCode.NO_SPACE, ClusterStorageCapacityExceededException.class);
    expected.put(ErrorCode.QUOTA_EXCEEDED, ClusterStorageCapacityExceededException.class);
    expected.remove(ErrorCode.UNSUPPORTED);

    expected.forEach(
        (code, type) -> assertSame(type, of(code, Intent.CHANGE).getClass(), code.name()));
  }

  @Test
  void shouldKeepTheMessage() {
    for (ErrorCode code : ErrorCode.values()) {
      if (code != ErrorCode.UNSUPPORTED && code != ErrorCode.DIRECTORY_NOT_EMPTY) {
        String message = of(code, Intent.CHANGE).getMessage();
        assertTrue(message.contains("what: value=1"), code + ": " + message);
        assertEquals(1, message.lines().count());
      }
    }
  }

  @Test
  void shouldThrowUnsupportedUnchecked() {
    VdfsException e = new VdfsException(ErrorCode.UNSUPPORTED, "no");

    assertThrows(
        UnsupportedOperationException.class, () -> HadoopErrors.exception(PATH, Intent.CHANGE, e));
  }

  @Test
  void shouldCountWhatLiesBelowAFileAsMissingWhenLookingOnly() {
    assertSame(
        FileNotFoundException.class, of(ErrorCode.NOT_A_DIRECTORY, Intent.LOOKUP).getClass());
    assertSame(
        ParentNotDirectoryException.class, of(ErrorCode.NOT_A_DIRECTORY, Intent.CREATE).getClass());
  }

  @Test
  void shouldTellOpeningADirectoryFromMakingOne() {
    assertSame(FileNotFoundException.class, of(ErrorCode.IS_A_DIRECTORY, Intent.OPEN).getClass());
    assertSame(
        FileAlreadyExistsException.class, of(ErrorCode.IS_A_DIRECTORY, Intent.CREATE).getClass());
  }

  @Test
  void shouldUseTheWordsOfHdfsForLeaseRecovery() {
    assertEquals(
        "File does not exist: " + PATH,
        HadoopErrors.ofRecovery(PATH, new VdfsException(ErrorCode.NOT_FOUND, "no")).getMessage());
    assertEquals(
        "Path is not a file: " + PATH,
        HadoopErrors.ofRecovery(PATH, new VdfsException(ErrorCode.IS_A_DIRECTORY, "no"))
            .getMessage());
  }
}
