package io.vdfs.it.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputTest {
  @TempDir private Path directory;

  @Test
  void shouldGiveEachFileANameOfItsOwnThatJobsDoNotSkip() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    List<Input> inputs =
        Input.named(
            List.of(
                file(directory, "a"), file(other, "a"), file(other, "_b"), file(other, ".bashrc")));
    assertEquals(
        List.of("a", "1-a", "2-_b", "3-.bashrc"), inputs.stream().map(Input::name).toList());
  }

  @Test
  void shouldCountItsCopies() throws IOException {
    assertEquals(9, Input.of("a", file(directory, "abc"), 3).bytes());
  }

  /** A file that contains its own name. */
  private static Path file(Path directory, String name) throws IOException {
    return Files.writeString(directory.resolve(name), name);
  }
}
