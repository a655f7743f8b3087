package io.vdfs.it.bench.tfidf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TfidfJobTest {
  private static final int MODEL_BYTES = 16_000;

  @TempDir private Path directory;

  private record Weight(long count, double weight) {
    Weight plus(Weight other) {
      return new Weight(count + other.count, weight + other.weight);
    }
  }

  @Test
  void shouldWeighATermByHowOftenItOccursAndInHowFewDocuments() throws Exception {
    String text = "Disk, disk!\nthe disk\nthe Extraordinarily long one\nthe one\n";

    Map<String, Weight> weights = weights(run(text, 1_000));

    assertEquals(new Weight(3, 2.079442), weights.get("disk"), "3 ln(4/2)");
    assertEquals(new Weight(3, 0.863046), weights.get("the"), "3 ln(4/3)");
    assertEquals(new Weight(1, 1.386294), weights.get("extraordinar"), "ln 4");
    assertEquals(5, weights.size());
  }

  @Test
  void shouldWeighTheWholeTextOnceOverAllMaps() throws Exception {
    List<String> lines = lines(3_000);

    List<Path> parts = run(String.join("\n", lines) + "\n", 20_000);

    assertTrue(parts.size() > 3, "maps: " + parts);
    Map<String, Weight> expected = expected(lines);
    Map<String, Weight> found = weights(parts);
    assertEquals(expected.keySet(), found.keySet());
    expected.forEach(
        (term, weight) -> {
          assertEquals(weight.count(), found.get(term).count(), term);
          assertEquals(weight.weight(), found.get(term).weight(), 1e-5, term);
        });
  }

  @Test
  void shouldFillTheModelUpToItsSize() throws Exception {
    TfidfModel.make(text("one two\ntwo\n"), directory.resolve("model"), MODEL_BYTES);

    assertEquals(MODEL_BYTES, Files.size(directory.resolve("model")));
  }

  @Test
  void shouldRefuseAModelTooSmallForTheText() throws Exception {
    Path text = text("one two\n");

    assertThrows(
        IllegalArgumentException.class,
        () -> TfidfModel.make(text, directory.resolve("model"), 47));
    assertTrue(Files.notExists(directory.resolve("model")));
  }

  @Test
  void shouldFailWithAModelThatIsCutOff() throws Exception {
    Path model = directory.resolve("model");
    TfidfModel.make(text("one two\n"), model, MODEL_BYTES);
    byte[] bytes = Files.readAllBytes(model);
    Files.write(model, Arrays.copyOf(bytes, MODEL_BYTES - 1));

    try (DataInputStream in = new DataInputStream(Files.newInputStream(model))) {
      assertThrows(EOFException.class, () -> TfidfModel.read(in));
    }
  }

  private Path text(String text) throws IOException {
    return Files.writeString(directory.resolve("text"), text);
  }

  private List<Path> run(String text, int splitBytes) throws Exception {
    Path model = directory.resolve("model");
    TfidfModel.make(text(text), model, MODEL_BYTES);
    Configuration conf = new Configuration();
    conf.set("mapreduce.framework.name", "local");
    conf.setInt("mapreduce.client.completion.pollinterval", 20);
    conf.set("fs.defaultFS", "file:///");
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toString());
    conf.setInt("mapreduce.input.fileinputformat.split.maxsize", splitBytes);
    Path out = directory.resolve("out");
    String[] args = {
      directory.resolve("text").toUri().toString(), model.toUri().toString(), out.toUri().toString()
    };
    assertEquals(0, ToolRunner.run(conf, new TfidfJob(), args));
    try (Stream<Path> files = Files.list(out)) {
      return files.filter(file -> file.getFileName().toString().startsWith("part-m-")).toList();
    }
  }

  private static Map<String, Weight> weights(List<Path> parts) throws IOException {
    Map<String, Weight> weights = new TreeMap<>();
    for (Path part : parts) {
      for (String line : Files.readAllLines(part)) {
        String[] fields = line.split("\t", -1);
        Weight weight = new Weight(Long.parseLong(fields[1]), Double.parseDouble(fields[2]));
        weights.merge(fields[0], weight, Weight::plus);
      }
    }
    return weights;
  }

  private static List<String> lines(int count) {
    SplittableRandom random = new SplittableRandom(3);
    List<String> lines = new ArrayList<>();
    for (int number = 0; number < count; number++) {
      StringBuilder line = new StringBuilder();
      for (int word = random.nextInt(9); word >= 0; word--) {
        int letter = random.nextInt(1 + random.nextInt(26));
        line.append((char) ('A' + letter)).append("term").append((char) ('a' + letter));
        line.append(word % 2 == 0 ? " " : ", 7");
      }
      lines.add(line.toString());
    }
    return lines;
  }

  private static Map<String, Weight> expected(List<String> lines) {
    Map<String, Long> counts = new TreeMap<>();
    Map<String, Long> documents = new TreeMap<>();
    for (String line : lines) {
      List<String> words =
          Stream.of(line.split("[^A-Za-z]+", -1))
              .filter(word -> !word.isEmpty())
              .map(word -> word.toLowerCase(Locale.ROOT))
              .toList();
      words.forEach(word -> counts.merge(word, 1L, Long::sum));
      new HashSet<>(words).forEach(word -> documents.merge(word, 1L, Long::sum));
    }
    Map<String, Weight> weights = new TreeMap<>();
    counts.forEach(
        (word, count) ->
            weights.put(
                word,
                new Weight(count, count * Math.log((double) lines.size() / documents.get(word)))));
    return weights;
  }
}
