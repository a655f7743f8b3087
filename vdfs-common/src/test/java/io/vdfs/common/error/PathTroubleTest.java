package io.vdfs.common.error;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.List;
import org.junit.jupiter.api.Test;

class PathTroubleTest {
  private static String cure(Throwable failure) {
    return PathTrouble.cure(failure, "something else");
  }

  @Test
  void shouldAskForRoomWhenTheSystemHasNone() throws IOException {
    Path full = Path.of("/dev/full"); // each write to it fails as on a full disk
    IOException failure = assertThrows(IOException.class, () -> Files.write(full, new byte[] {1}));

    assertTrue(PathTrouble.isFull(failure), failure::toString);
    assertEquals("make room on its filesystem", cure(failure));
    assertEquals("make room on its filesystem", cure(new IOException("cannot write", failure)));
  }

  @Test
  void shouldAskForRoomWhenTheQuotaIsUsedUp() {
    assertTrue(PathTrouble.isFull(new FileSystemException("/a", null, "Disk quota exceeded")));
  }

  @Test
  void shouldAskForMoreOpenFiles() {
    for (String reason : List.of("Too many open files", "Too many open files in system")) {
      IOException failure = new FileSystemException("/a", null, reason);

      assertTrue(PathTrouble.isTooManyOpen(failure), reason);
      assertTrue(cure(failure).contains("LimitNOFILE"), cure(failure));
    }
    assertFalse(PathTrouble.isTooManyOpen(new IOException("No space left on device")));
  }

  @Test
  void shouldNameTheUserWhoLacksTheRight() {
    IOException failure = new AccessDeniedException("/a");

    assertFalse(PathTrouble.isFull(failure));
    assertTrue(cure(failure).endsWith("user=" + System.getProperty("user.name")), cure(failure));
    assertTrue(cure(failure).contains("chown or chmod"), cure(failure));
  }

  @Test
  void shouldAskForAMountThatTakesWrites() {
    String expected = "mount its filesystem for writing";

    assertEquals(expected, cure(new FileSystemException("/a", null, "Read-only file system")));
    assertEquals(expected, cure(new ReadOnlyFileSystemException()));
  }

  @Test
  void shouldLeaveWhatItDoesNotKnowToTheCaller() {
    assertEquals("something else", cure(new IOException()));
  }
}
