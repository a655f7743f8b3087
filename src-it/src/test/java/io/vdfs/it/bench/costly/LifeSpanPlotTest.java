package io.vdfs.it.bench.costly;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class LifeSpanPlotTest {
  private static final LifeSpan LONG = new LifeSpan(0, "127.0.0.1", 1_000, 11_000, 10, 0);
  private static final LifeSpan SHORT = new LifeSpan(1, "127.0.0.2", 3_500, 8_500, 10, 2);

  @TempDir private Path directory;

  @Test
  void shouldReadWhatItWrote() {
    assertEquals(SHORT, LifeSpan.ofLine(SHORT.toLine()));
    assertEquals(5, SHORT.seconds());
  }

  @Test
  void shouldDrawABarForEachTaskOnOneScale() throws Exception {
    Path both = Files.writeString(directory.resolve("a"), SHORT.toLine() + "\n" + LONG.toLine());
    Path one = Files.writeString(directory.resolve("b"), SHORT.toLine() + "\n");
    Path plot = directory.resolve("plot.svg");
    LifeSpanPlot.main(new String[] {plot.toString(), "two tasks=" + both, "one task=" + one});
    List<Element> bars = bars(plot);
    assertEquals(3, bars.size());
    assertEquals("640.0", bars.get(0).getAttribute("width"), "the longest job fills the width");
    assertEquals("320.0", bars.get(1).getAttribute("width"));
    assertEquals("280.0", bars.get(1).getAttribute("x"), "a quarter later");
    assertEquals("120.0", bars.get(2).getAttribute("x"), "each job begins with its first task");
  }

  /** Without the background. */
  private static List<Element> bars(Path plot) throws Exception {
    Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(plot.toFile());
    return IntStream.range(1, svg.getElementsByTagName("rect").getLength())
        .mapToObj(index -> (Element) svg.getElementsByTagName("rect").item(index))
        .toList();
  }
}
