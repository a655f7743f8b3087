package io.vdfs.it.bench.costly;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Draws the life span of every task as a bar, one picture above the other for several systems, all
 * on the same scale.
 *
 * <p>Usage: {@code LifeSpanPlot OUT.svg TITLE=SPANS...}; the files are those of {@link CostlyJob}.
 */
public final class LifeSpanPlot {
  private static final int LEFT = 120;
  private static final int WIDTH = 640;
  private static final int RIGHT = 30;
  private static final int BAR = 10;
  private static final int HEADER = 34;
  private static final int AXIS = 40;
  private static final int TICKS = 6;

  private final StringBuilder body = new StringBuilder();
  private final double seconds;
  private int y;

  private LifeSpanPlot(double seconds) {
    this.seconds = seconds;
  }

  /** The content of one picture. */
  private record Panel(String title, List<LifeSpan> spans) {
    static Panel of(String argument) throws IOException {
      int equals = argument.indexOf('=');
      List<LifeSpan> spans = new ArrayList<>();
      for (String line : Files.readAllLines(Path.of(argument.substring(equals + 1)))) {
        spans.add(LifeSpan.ofLine(line));
      }
      spans.sort(Comparator.comparing(LifeSpan::host).thenComparingLong(LifeSpan::startMillis));
      return new Panel(argument.substring(0, equals), spans);
    }

    double seconds() {
      return (LifeSpan.lastEnd(spans) - LifeSpan.firstStart(spans)) / 1e3;
    }
  }

  /** Writes the plot. */
  public static void main(String[] args) throws IOException {
    if (args.length < 2) {
      System.err.println("usage: LifeSpanPlot OUT.svg TITLE=SPANS...");
      System.exit(2);
    }
    List<Panel> panels = new ArrayList<>();
    for (String argument : List.of(args).subList(1, args.length)) {
      panels.add(Panel.of(argument));
    }
    LifeSpanPlot plot =
        new LifeSpanPlot(panels.stream().mapToDouble(Panel::seconds).max().orElse(1));
    panels.forEach(plot::draw);
    plot.drawAxis();
    Files.writeString(Path.of(args[0]), plot.svg());
  }

  private void draw(Panel panel) {
    y += HEADER;
    text(LEFT, y - 8, "start", "bold", panel.title());
    long begin = LifeSpan.firstStart(panel.spans());
    for (LifeSpan span : panel.spans()) {
      double from = x((span.startMillis() - begin) / 1e3);
      double to = x((span.endMillis() - begin) / 1e3);
      append(
          "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='#3b6ea5'/>%n",
          from, y, Math.max(1, to - from), BAR - 2);
      text(LEFT - 6, y + BAR - 2, "end", "normal", span.host() + " #" + span.task());
      y += BAR;
    }
  }

  private void drawAxis() {
    y += 6;
    append("<path d='M%d %d H%d' stroke='black'/>%n", LEFT, y, LEFT + WIDTH);
    for (int tick = 0; tick <= TICKS; tick++) {
      double at = seconds * tick / TICKS;
      append("<path d='M%.1f %d v4' stroke='black'/>%n", x(at), y);
      text((int) x(at), y + 16, "middle", "normal", String.format(Locale.ROOT, "%.0f s", at));
    }
    y += AXIS;
  }

  private double x(double second) {
    return LEFT + WIDTH * second / seconds;
  }

  private void text(int x, int baseline, String anchor, String weight, String text) {
    append(
        "<text x='%d' y='%d' text-anchor='%s' font-weight='%s'>%s</text>%n",
        x, baseline, anchor, weight, text);
  }

  private void append(String format, Object... values) {
    body.append(String.format(Locale.ROOT, format, values));
  }

  private String svg() {
    return String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif'"
                + " font-size='9'>%n<rect width='100%%' height='100%%' fill='white'/>%n",
            LEFT + WIDTH + RIGHT,
            y)
        + body
        + "</svg>\n";
  }
}
