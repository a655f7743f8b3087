package io.vdfs.it.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Draws what a benchmark wrote, one JSON object per line, as lines in an SVG file. The values on
 * the x axis stand at equal distances, in rising order; objects with equal series keys make a line.
 *
 * <p>Usage: {@code SvgChart IN.json OUT.svg TITLE X-KEY Y-KEY SERIES-KEY[,SERIES-KEY...]}
 */
public final class SvgChart {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 420;
  private static final int LEFT = 60;
  private static final int RIGHT = 230;
  private static final int TOP = 50;
  private static final int BOTTOM = 50;
  private static final int STEPS = 5;
  private static final int LEGEND_LINE = 18;

  /** For what is to be told apart in one picture. */
  static final List<String> COLOURS =
      List.of(
          "#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#16a085", "#7f8c8d", "#2c3e50");

  private final StringBuilder svg = new StringBuilder();
  private final Map<String, TreeMap<Double, Double>> series = new LinkedHashMap<>();
  private final TreeSet<Double> places = new TreeSet<>();
  private double top;

  private SvgChart() {}

  /** Draws the chart. */
  public static void main(String[] args) throws IOException {
    if (args.length != 6) {
      System.err.println(
          "usage: SvgChart IN.json OUT.svg TITLE X-KEY Y-KEY SERIES-KEY[,SERIES-KEY...]");
      System.exit(2);
    }
    SvgChart chart = new SvgChart();
    for (String line : Files.readAllLines(Path.of(args[0]), StandardCharsets.UTF_8)) {
      chart.add(line, args[3], args[4], args[5].split(",", -1));
    }
    Files.writeString(Path.of(args[1]), chart.draw(args[2], args[3], args[4]));
  }

  private void add(String object, String xKey, String yKey, String[] seriesKeys) {
    if (object.isBlank()) {
      return;
    }
    StringBuilder name = new StringBuilder();
    for (String key : seriesKeys) {
      String value = value(object, key);
      name.append(name.isEmpty() || value.isEmpty() ? "" : ", ").append(value);
    }
    double x = number(value(object, xKey));
    double y = number(value(object, yKey));
    places.add(x);
    top = Math.max(top, y);
    series.computeIfAbsent(name.toString(), ignored -> new TreeMap<>()).put(x, y);
  }

  private static String value(String object, String key) {
    Matcher found =
        Pattern.compile("\"" + Pattern.quote(key) + "\": *(?:\"([^\"]*)\"|([^,}]*))")
            .matcher(object);
    if (!found.find()) {
      return "";
    }
    return found.group(1) != null ? found.group(1) : found.group(2);
  }

  /** A number, which may be followed by a unit. */
  private static double number(String text) {
    return Double.parseDouble(text.replaceAll("[^0-9.]+$", ""));
  }

  private String draw(String title, String xLabel, String yLabel) {
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">
        <rect width="100%%" height="100%%" fill="white"/>
        """
            .formatted(WIDTH, HEIGHT));
    text(LEFT, TOP / 2, "start", title);
    text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10.0, "middle", xLabel);
    text(LEFT, TOP - 8.0, "middle", yLabel);
    double step = niceStep(top / STEPS);
    double ceiling = Math.ceil(top / step) * step;
    for (double value = 0; value <= ceiling; value += step) {
      line(LEFT, y(value, ceiling), WIDTH - RIGHT, y(value, ceiling), "#dddddd");
      text(LEFT - 6.0, y(value, ceiling) + 4, "end", plain(value));
    }
    for (double place : places) {
      text(x(place), HEIGHT - BOTTOM + 18.0, "middle", plain(place));
    }
    int number = 0;
    for (Map.Entry<String, TreeMap<Double, Double>> one : series.entrySet()) {
      draw(one.getKey(), one.getValue(), ceiling, number++);
    }
    return svg.append("</svg>\n").toString();
  }

  private void draw(String name, Map<Double, Double> values, double ceiling, int number) {
    String colour = COLOURS.get(number % COLOURS.size());
    StringBuilder points = new StringBuilder();
    values.forEach(
        (x, y) -> points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(x), y(y, ceiling))));
    svg.append(
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n"
            .formatted(colour, points.toString().trim()));
    values.forEach(
        (x, y) ->
            svg.append(
                String.format(
                    Locale.ROOT,
                    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                    x(x),
                    y(y, ceiling),
                    colour)));
    double at = TOP + number * (double) LEGEND_LINE;
    line(WIDTH - RIGHT + 15.0, at, WIDTH - RIGHT + 35.0, at, colour);
    text(WIDTH - RIGHT + 40.0, at + 4, "start", name);
  }

  private double x(double place) {
    int gaps = Math.max(1, places.size() - 1);
    return LEFT + 20 + (WIDTH - RIGHT - LEFT - 40.0) * places.headSet(place).size() / gaps;
  }

  private static double y(double value, double ceiling) {
    return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / ceiling;
  }

  private static double niceStep(double rough) {
    double power = Math.pow(10, Math.floor(Math.log10(Math.max(rough, 1e-9))));
    double digit = rough / power;
    return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  }

  private static String plain(double value) {
    return value == Math.rint(value)
        ? Long.toString((long) value)
        : String.format(Locale.ROOT, "%.2f", value);
  }

  private void line(double x1, double y1, double x2, double y2, String colour) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>%n",
            x1,
            y1,
            x2,
            y2,
            colour));
  }

  private void text(double x, double y, String anchor, String words) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
            x,
            y,
            anchor,
            words.replace("&", "&amp;").replace("<", "&lt;")));
  }
}
