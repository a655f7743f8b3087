package io.vdfs.it.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalMatchesTest {
  @TempDir private Path directory;

  @Test
  void shouldCountEachMatchAsOftenAsItsFileWasLoaded() throws IOException {
    Input once = input("once", "Ab Cd Ab\nCd", 1);
    Input thrice = input("thrice", "Ab\nxCd\n", 3);

    TopCounts counts = LocalMatches.count(List.of(once, thrice), "[A-Z][a-z]");

    assertEquals(
        new TopCounts(10, 2, List.of(new TopCounts.Entry("Ab", 5), new TopCounts.Entry("Cd", 5))),
        counts);
  }

  @Test
  void shouldJoinCopiesThatDoNotEndWithALine() throws IOException {
    TopCounts counts = LocalMatches.count(List.of(input("file", "b\na", 3)), "ab");

    assertEquals(new TopCounts(2, 1, List.of(new TopCounts.Entry("ab", 2))), counts);
  }

  private Input input(String name, String text, long copies) throws IOException {
    return Input.of(name, Files.writeString(directory.resolve(name), text), copies);
  }
}
