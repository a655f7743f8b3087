package io.vdfs.it.workload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.workload.LyingFileSystem.Lie;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A worker notices what a filesystem does wrong. */
@Timeout(60)
class WorkerTest {
  private static final int OPERATIONS = 3_000;

  @TempDir private Path directory;

  private final OperationLog log = new OperationLog();

  @Test
  void shouldFindNothingWrongWithALocalFilesystem() throws Exception {
    run(Lie.NONE);

    assertEquals(List.of(), log.violations());
    assertTrue(log.succeeded().values().stream().allMatch(count -> count > 0));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void shouldSeeWhatIsWrong(Lie lie) throws Exception {
    LyingFileSystem fileSystem = run(lie);

    assertTrue(fileSystem.lies() > 0, "it never lied");
    assertFalse(log.violations().isEmpty(), "not seen");
  }

  private LyingFileSystem run(Lie lie) throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    try (LyingFileSystem fileSystem = LyingFileSystem.in(directory, lie)) {
      Worker worker = new Worker(fileSystem, "/w", 5, log, new OutageLog(), stop);
      Thread thread = new Thread(worker, "worker");
      thread.start();
      while (log.size() < OPERATIONS && log.violations().isEmpty() && thread.isAlive()) {
        Thread.onSpinWait();
      }
      stop.set(true);
      thread.join();
      return fileSystem;
    }
  }
}
