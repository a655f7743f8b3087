package io.vdfs.common.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnerOnlyTest {
  @TempDir private Path directory;

  @Test
  void shouldMakeDirectoriesAndFilesThatOthersCannotUse() throws IOException {
    Path made = directory.resolve("a/b");
    OwnerOnly.directory(made);
    assertEquals("rwx------", mode(made));
    Path file = made.resolve("file");
    OwnerOnly.open(file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)).close();
    assertEquals("rw-------", mode(file));
    OwnerOnly.directory(made);
    assertEquals("rwx------", mode(made));
  }

  @Test
  void shouldCloseWhatIsOpen() throws IOException {
    Path inner = Files.createDirectories(directory.resolve("top/inner"));
    Path top = inner.getParent();
    Path file = Files.writeString(inner.resolve("file"), "secret");
    Path elsewhere = Files.writeString(directory.resolve("elsewhere"), "not ours to close");
    Files.createSymbolicLink(inner.resolve("link"), elsewhere);
    for (Path path : Set.of(top, inner, file, elsewhere)) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    OwnerOnly.directory(top);
    assertEquals("rwx------", mode(top));
    assertEquals("rwxrwxrwx", mode(file));
    OwnerOnly.tree(top);
    assertEquals("rwx------", mode(inner));
    assertEquals("rw-------", mode(file));
    assertEquals("rwxrwxrwx", mode(elsewhere));
  }

  @Test
  void shouldRefuseWhatIsNoDirectory() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "x");
    assertThrows(FileAlreadyExistsException.class, () -> OwnerOnly.directory(file));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
