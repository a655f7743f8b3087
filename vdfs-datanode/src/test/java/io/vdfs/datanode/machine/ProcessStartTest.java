package io.vdfs.datanode.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStartTest {
  private static final Instant NOON = Instant.parse("2026-11-25T12:00:00Z");

  @TempDir Path directory;

  private Path file() {
    return directory.resolve("metadata/last-start");
  }

  private Instant next(Instant now) throws VdfsException {
    return new ProcessStart(file()).next(Clock.fixed(now, ZoneOffset.UTC));
  }

  @Test
  void shouldTakeTheClocksTimeWhereThatIsLater() throws Exception {
    assertEquals(NOON, next(NOON.plusNanos(5)));
    assertEquals(NOON.plusSeconds(9), next(NOON.plusSeconds(9)));
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file())));
  }

  @Test
  void shouldTellALaterStartThoughTheClockWasSetBack() throws Exception {
    assertEquals(NOON, next(NOON));
    assertEquals(NOON.plusMillis(1), next(NOON.minus(Duration.ofHours(2))));
    assertEquals(NOON.plusMillis(2), next(NOON));
  }

  @Test
  void shouldNameAFileThatIsDamaged() throws Exception {
    next(NOON);
    Files.writeString(file(), "yesterday");

    VdfsException refused = assertThrows(VdfsException.class, () -> next(NOON));

    assertEquals(ErrorCode.MISCONFIGURED, refused.code());
    assertTrue(refused.getMessage().contains(file().toString()), refused.getMessage());
    assertEquals("yesterday", Files.readString(file()));
  }
}
