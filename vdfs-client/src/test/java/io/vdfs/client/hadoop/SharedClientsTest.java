package io.vdfs.client.hadoop;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
