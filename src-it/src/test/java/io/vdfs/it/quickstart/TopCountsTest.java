package io.vdfs.it.quickstart;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TopCountsTest {
  @TempDir private Path output;

  @Test
  void shouldFindTheHighestCountsOfAllParts() throws IOException {
    StringBuilder words = new StringBuilder();
    for (int i = 0; i < 30; i++) {
      words.append("w").append(i).append('\t').append(i).append('\n');
    }
    Files.writeString(output.resolve("part-r-00000"), words);
    Files.writeString(output.resolve("part-r-00001"), "most\t1000\n");
    Files.writeString(output.resolve("_SUCCESS"), "");
    TopCounts counts = read(false);
    assertEquals(1000 + 435, counts.total());
    assertEquals(31, counts.different());
    assertEquals(10, counts.top().size());
    assertEquals(new TopCounts.Entry("most", 1000), counts.top().get(0));
    assertEquals(new TopCounts.Entry("w21", 21), counts.top().get(9));
  }

  @Test
  void shouldReadCountsThatStandFirst() throws IOException {
    Files.writeString(output.resolve("part-r-00000"), "3\ta\tb\n");
    assertEquals(List.of(new TopCounts.Entry("a\tb", 3)), read(true).top());
  }

  @Test
  void shouldShowNothingOfEmptyOutput() throws IOException {
    Files.writeString(output.resolve("part-r-00000"), "");
    assertEquals(new TopCounts(0, 0, List.of()), read(true));
  }

  private TopCounts read(boolean countFirst) throws IOException {
    FileSystem local = FileSystem.getLocal(new Configuration());
    return TopCounts.read(local, new org.apache.hadoop.fs.Path(output.toUri()), countFirst);
  }
}
