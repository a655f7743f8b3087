package io.vdfs.it.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RepositoryTextTest {
  private static final Screen NOWHERE =
      new Screen(
          new PrintStream(PrintStream.nullOutputStream(), true, StandardCharsets.UTF_8),
          new PrintStream(PrintStream.nullOutputStream(), true, StandardCharsets.UTF_8),
          false,
          80,
          () -> 0);

  @TempDir private Path directory;

  @Test
  void shouldTakePomsAndTheTextOutOfJars() throws IOException {
    Path repository = Files.createDirectory(directory.resolve("repository"));
    Files.writeString(repository.resolve("a-1.pom"), "<project/>");
    Files.writeString(repository.resolve("a-1.pom.sha1"), "0123");
    try (ZipOutputStream jar =
        new ZipOutputStream(Files.newOutputStream(repository.resolve("a-1.jar")))) {
      add(jar, "META-INF/LICENSE", "licence");
      add(jar, "a/A.class", "code");
      add(jar, "a/binary.txt", "not\0text");
    }
    Files.writeString(repository.resolve("broken.jar"), "no jar");
    Path target = directory.resolve("text");
    RepositoryText text = new RepositoryText(1 << 20, NOWHERE);
    text.collect(repository, target);
    assertEquals("licence\n<project/>\n", Files.readString(target));
    assertEquals("0.0 MiB out of 1 pom and 2 jars", text.toString());
  }

  @Test
  void shouldStopAtItsLimit() throws IOException {
    Path repository = Files.createDirectory(directory.resolve("repository"));
    for (int i = 0; i < 5; i++) {
      Files.writeString(repository.resolve(i + ".pom"), "123456789");
    }
    Path target = directory.resolve("text");
    new RepositoryText(25, NOWHERE).collect(repository, target);
    assertEquals(30, Files.size(target));
  }

  @Test
  void shouldKnowTextByItsName() {
    assertTrue(RepositoryText.isText("META-INF/MANIFEST.MF"));
    assertTrue(RepositoryText.isText("META-INF/LICENSE"));
    assertTrue(RepositoryText.isText("a/b.properties"));
    assertFalse(RepositoryText.isText("a/B.class"));
    assertFalse(RepositoryText.isText("a/"));
  }

  private static void add(ZipOutputStream jar, String name, String content) throws IOException {
    jar.putNextEntry(new ZipEntry(name));
    jar.write(content.getBytes(StandardCharsets.UTF_8));
    jar.closeEntry();
  }
}
