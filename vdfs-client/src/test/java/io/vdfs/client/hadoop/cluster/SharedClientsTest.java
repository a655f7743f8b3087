package io.vdfs.client.hadoop.cluster;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.client.hadoop.TestFileSystems;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.values.VdfsFileStatus;
import io.vdfs.common.model.FileKey;
import java.io.FileNotFoundException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, unit = TimeUnit.SECONDS)
class SharedClientsTest {
  private final TestFileSystems fileSystems = new TestFileSystems();

  @Test
  void shouldCloseTheClientOfAForgottenFileSystem() throws Exception {
    openAndForget();
    assertEquals(1, fileSystems.clients().size());
    while (fileSystems.clients().size() > 0) {
      System.gc();
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
    Thread cleaner = thread("vdfs-client-cleaner");
    assertDoesNotThrow(
        () -> cleaner.setContextClassLoader(cleaner.getContextClassLoader()),
        "Netty cannot start a thread from the one that closes clients");
  }

  /** One of them may be a proxy, or have credentials that the other one lacks. */
  @Test
  void shouldNotShareAClientBetweenTwoIdentitiesOfOneName() throws Exception {
    Configuration configuration = TestFileSystems.configuration();
    UserGroupInformation bob = UserGroupInformation.createRemoteUser("bob");
    UserGroupInformation byOozie =
        UserGroupInformation.createProxyUser("bob", UserGroupInformation.createRemoteUser("oozie"));
    try (VdfsFileSystem first = fileSystems.initialized(bob, configuration);
        VdfsFileSystem second = fileSystems.initialized(bob, configuration)) {
      assertSame(first.vdfsClient(), second.vdfsClient());
      try (VdfsFileSystem third = fileSystems.initialized(byOozie, configuration)) {
        assertNotSame(first.vdfsClient(), third.vdfsClient());
        assertEquals(2, fileSystems.clients().size());
      }
    }
    assertEquals(0, fileSystems.clients().size());
  }

  /** A file that one identity was allowed to pin is not given to the other one by path. */
  @Test
  void shouldNotShareAPinBetweenTwoIdentitiesOfOneName() throws Exception {
    Configuration configuration = TestFileSystems.configuration();
    Path file = new Path("/file");
    try (VdfsFileSystem first =
            fileSystems.initialized(UserGroupInformation.createRemoteUser("bob"), configuration);
        VdfsFileSystem second =
            fileSystems.initialized(UserGroupInformation.createRemoteUser("bob"), configuration)) {
      first.create(file).close();
      FileKey key = ((VdfsFileStatus) first.getFileStatus(file)).info().key();
      try (AutoCloseable pin = first.pin(file, key.fileId(), key.generation(), 0)) {
        assertNotNull(pin);
        first.delete(file, false);
        assertEquals(0, first.getFileStatus(file).getLen());
        assertThrows(FileNotFoundException.class, () -> second.getFileStatus(file));
      }
    }
  }

  private void openAndForget() throws Exception {
    fileSystems.initialized();
  }

  private static Thread thread(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no thread " + name));
  }
}
