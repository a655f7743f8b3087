package io.vdfs.cli.trace;

import io.vdfs.client.trace.TraceHeader;
import io.vdfs.client.trace.TraceRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A chart of each task's positions in its files over time: a panel for each process, time from left
 * to right, offsets from below. What was read is blue, written red, fetched green. Calls that
 * follow each other too closely to be seen apart are one line.
 */
final class Timeline implements TraceScan.Visitor {
  private static final int WIDTH = 960;
  private static final int LEFT = 70;
  private static final int RIGHT = 20;
  private static final int TOP = 50;
  private static final int PANEL = 120;
  private static final int GAP = 34;
  private static final int BOTTOM = 40;
  private static final int TICKS = 6;

  private final Map<String, List<Stroke>> panels = new TreeMap<>();
  private Instant first = Instant.MAX;
  private Instant last = Instant.MIN;

  /** A range of bytes and when they moved. */
  private record Stroke(Instant from, Instant to, long start, long end, String path, String kind) {
    /** Whether the other one continues where this one ends. */
    boolean isBefore(Stroke other, Duration pixel) {
      return end == other.start
          && kind.equals(other.kind)
          && path.equals(other.path)
          && !other.from.isBefore(to)
          && Duration.between(to, other.from).compareTo(pixel) < 0;
    }

    Stroke joined(Stroke other) {
      return new Stroke(from, other.to, start, other.end, path, kind);
    }
  }

  @Override
  public void onRecord(TraceHeader header, TraceRecord record) {
    if (record.bytes() <= 0 || record.offset() < 0) {
      return;
    }
    Instant from = header.began().plusNanos(record.startNanos());
    Instant to = from.plusNanos(record.durationNanos());
    first = from.isBefore(first) ? from : first;
    last = to.isAfter(last) ? to : last;
    String kind = record.isFetch() ? "fetch" : record.isWrite() ? "write" : "read";
    panels
        .computeIfAbsent(header.process(), process -> new ArrayList<>())
        .add(
            new Stroke(
                from, to, record.offset(), record.offset() + record.bytes(), record.path(), kind));
  }

  /** Whether there is anything to draw. */
  boolean isEmpty() {
    return panels.isEmpty();
  }

  /** The chart as SVG. */
  String draw(String title) {
    int height = TOP + panels.size() * (PANEL + GAP) + BOTTOM;
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">
        <rect width="100%%" height="100%%" fill="white"/>
        """
            .formatted(WIDTH, height));
    text(svg, LEFT, 20, "start", title);
    text(svg, LEFT, 36, "start", "offset over time; blue: read, red: written, green: fetched");
    int top = TOP + GAP / 2;
    for (Map.Entry<String, List<Stroke>> panel : panels.entrySet()) {
      drawPanel(svg, panel.getKey(), panel.getValue(), top);
      top += PANEL + GAP;
    }
    drawTimes(svg, top - GAP + 14);
    return svg.append("</svg>\n").toString();
  }

  private void drawPanel(StringBuilder svg, String process, List<Stroke> strokes, int top) {
    long most = strokes.stream().mapToLong(Stroke::end).max().orElse(1);
    long paths = strokes.stream().map(Stroke::path).distinct().count();
    text(svg, LEFT, top - 4, "start", process + ", " + paths + (paths == 1 ? " file" : " files"));
    svg.append(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#cccccc\"/>%n"
            .formatted(LEFT, top, WIDTH - LEFT - RIGHT, PANEL));
    text(svg, LEFT - 5, top + 9, "end", size(most));
    text(svg, LEFT - 5, top + PANEL, "end", "0");
    for (Stroke stroke : joined(strokes)) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
                  + " stroke-linecap=\"round\"/>%n",
              x(stroke.from()),
              y(stroke.start(), most, top),
              x(stroke.to()),
              y(stroke.end(), most, top),
              colour(stroke.kind())));
    }
  }

  /** In the order of time, each stroke that continues another one joined to it. */
  private List<Stroke> joined(List<Stroke> strokes) {
    Duration pixel = Duration.between(first, last).dividedBy(WIDTH);
    Map<String, Stroke> open = new TreeMap<>();
    List<Stroke> joined = new ArrayList<>();
    for (Stroke stroke : strokes.stream().sorted((a, b) -> a.from().compareTo(b.from())).toList()) {
      String key = stroke.kind() + " " + stroke.path();
      Stroke before = open.get(key);
      if (before != null && before.isBefore(stroke, pixel)) {
        open.put(key, before.joined(stroke));
      } else {
        if (before != null) {
          joined.add(before);
        }
        open.put(key, stroke);
      }
    }
    joined.addAll(open.values());
    return joined;
  }

  private void drawTimes(StringBuilder svg, int y) {
    double seconds = seconds(last);
    for (int tick = 0; tick <= TICKS; tick++) {
      double x = LEFT + (double) (WIDTH - LEFT - RIGHT) * tick / TICKS;
      text(svg, x, y, "middle", String.format(Locale.ROOT, "%.2f s", seconds * tick / TICKS));
    }
  }

  private double seconds(Instant time) {
    return Duration.between(first, time).toNanos() / 1e9;
  }

  private double x(Instant time) {
    double all = Math.max(1e-9, seconds(last));
    return LEFT + (WIDTH - LEFT - RIGHT) * seconds(time) / all;
  }

  private static double y(long offset, long most, int top) {
    return top + PANEL - (double) PANEL * offset / Math.max(1, most);
  }

  private static String colour(String kind) {
    return switch (kind) {
      case "write" -> "#c0392b";
      case "fetch" -> "#2e8b57";
      default -> "#1b6ca8";
    };
  }

  private static String size(long bytes) {
    return bytes >= 1 << 20
        ? String.format(Locale.ROOT, "%.1f MiB", bytes / 1048576.0)
        : bytes + " B";
  }

  private static void text(StringBuilder svg, double x, double y, String anchor, String words) {
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
