package io.vdfs.it.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

class ContainerPlotTest {
  @TempDir private Path directory;

  @Test
  void shouldDrawARowForEachContainerInTheOrderOfTheirStarts() throws Exception {
    List<Element> rows =
        rows(plot("2 50.5 100\n1 0.5 50.5\n1 10 20\n", "0 60 grep\n40 100 count\n", 10));

    assertEquals(List.of("43.2", "104.0", "363.2"), values(rows, "x"), "of 640 for 100 s");
    assertEquals(List.of("320.0", "64.0", "316.8"), values(rows, "width"));
    assertEquals(rows.get(0).getAttribute("fill"), rows.get(1).getAttribute("fill"));
    assertNotEquals(rows.get(0).getAttribute("fill"), rows.get(2).getAttribute("fill"));
  }

  @Test
  void shouldKeepALongerAxisForAPlotBesideOthers() throws Exception {
    List<Element> rows = rows(plot("1 0 100\n", "0 100 grep\n", 200));

    assertEquals(List.of("320.0"), values(rows, "width"));
  }

  @Test
  void shouldTellWhatEachJobWas() throws Exception {
    String svg = Files.readString(plot("1 0 90\n", "0 100 grep, 64 MB\n", 0));

    assertTrue(svg.contains(">1: grep, 64 MB, 0 to 100 s<"), svg);
  }

  private Path plot(String spans, String jobs, int seconds) throws Exception {
    Path plot = directory.resolve("plot.svg");
    ContainerPlot.main(
        new String[] {
          Files.writeString(directory.resolve("spans"), spans).toString(),
          Files.writeString(directory.resolve("jobs"), jobs).toString(),
          plot.toString(),
          Integer.toString(seconds),
          "a mix"
        });
    return plot;
  }

  private static List<Element> rows(Path plot) throws Exception {
    Document svg = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(plot.toFile());
    return IntStream.range(0, svg.getElementsByTagName("rect").getLength())
        .mapToObj(index -> (Element) svg.getElementsByTagName("rect").item(index))
        .filter(rect -> rect.getAttribute("class").equals("container"))
        .toList();
  }

  private static List<String> values(List<Element> rows, String attribute) {
    return rows.stream().map(row -> row.getAttribute(attribute)).toList();
  }
}
