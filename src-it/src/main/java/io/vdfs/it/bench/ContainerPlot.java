package io.vdfs.it.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Draws the life span of every container of several jobs: a row for each in the order of their
 * starts, a colour for each job, a mark where the job was submitted.
 *
 * <p>Usage: {@code ContainerPlot SPANS JOBS OUT.svg SECONDS TITLE}; SPANS has a line {@code JOB
 * START END} for each container, JOBS a line {@code SUBMISSION END WHAT} for each job, the first of
 * which is job 1. All times are seconds; the axis ends at SECONDS or the last time, whichever is
 * later.
 */
public final class ContainerPlot {
  private static final int LEFT = 40;
  private static final int WIDTH = 640;
  private static final int RIGHT = 290;
  private static final int TOP = 40;
  private static final int AXIS = 40;
  private static final int LEAST_HEIGHT = 200;
  private static final int ROW = 6;
  private static final int LEGEND_LINE = 18;
  private static final int TICKS = 8;

  private final StringBuilder body = new StringBuilder();
  private final double seconds;

  private ContainerPlot(double seconds) {
    this.seconds = seconds;
  }

  /** Writes the plot. */
  public static void main(String[] args) throws IOException {
    if (args.length != 5) {
      System.err.println("usage: ContainerPlot SPANS JOBS OUT.svg SECONDS TITLE");
      System.exit(2);
    }
    List<Span> spans = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(args[0]), StandardCharsets.UTF_8)) {
      spans.add(Span.ofLine(line));
    }
    spans.sort(Comparator.comparingDouble(Span::start).thenComparingInt(Span::job));
    List<Job> jobs = new ArrayList<>();
    for (String line : Files.readAllLines(Path.of(args[1]), StandardCharsets.UTF_8)) {
      jobs.add(Job.ofLine(line));
    }
    double last = Double.parseDouble(args[3]);
    for (Span span : spans) {
      last = Math.max(last, span.end());
    }
    for (Job job : jobs) {
      last = Math.max(last, job.end());
    }
    Files.writeString(Path.of(args[2]), new ContainerPlot(last).draw(args[4], spans, jobs));
  }

  /** A container, of the job with that number. */
  private record Span(int job, double start, double end) {
    static Span ofLine(String line) {
      String[] fields = line.split(" ", 3);
      return new Span(
          Integer.parseInt(fields[0]),
          Double.parseDouble(fields[1]),
          Double.parseDouble(fields[2]));
    }
  }

  private record Job(double submission, double end, String what) {
    static Job ofLine(String line) {
      String[] fields = line.split(" ", 3);
      return new Job(Double.parseDouble(fields[0]), Double.parseDouble(fields[1]), fields[2]);
    }
  }

  private String draw(String title, List<Span> spans, List<Job> jobs) {
    int bottom = TOP + Math.max(LEAST_HEIGHT, spans.size() * ROW);
    append("<text x='%d' y='20' font-size='13'>%s</text>%n", LEFT, title);
    for (int job = 1; job <= jobs.size(); job++) {
      drawJob(job, jobs.get(job - 1), bottom);
    }
    int y = TOP;
    for (Span span : spans) {
      append(
          "<rect class='container' x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'/>%n",
          x(span.start()),
          y,
          Math.max(1, x(span.end()) - x(span.start())),
          ROW - 1,
          colour(span.job()));
      y += ROW;
    }
    drawAxis(bottom);
    return String.format(
            Locale.ROOT,
            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif'"
                + " font-size='11'>%n<rect width='100%%' height='100%%' fill='white'/>%n",
            LEFT + WIDTH + RIGHT,
            bottom + AXIS)
        + body
        + "</svg>\n";
  }

  private void drawJob(int number, Job job, int bottom) {
    int y = TOP + number * LEGEND_LINE;
    append(
        "<path d='M%.1f %d V%d' stroke='%s' stroke-dasharray='2 4'/>%n",
        x(job.submission()), TOP - 8, bottom, colour(number));
    append(
        "<rect x='%d' y='%d' width='10' height='10' fill='%s'/>%n",
        LEFT + WIDTH + 16, y - 9, colour(number));
    append(
        "<text x='%d' y='%d'>%d: %s, %.0f to %.0f s</text>%n",
        LEFT + WIDTH + 32, y, number, job.what(), job.submission(), job.end());
  }

  private void drawAxis(int bottom) {
    append("<path d='M%d %d H%d' stroke='black'/>%n", LEFT, bottom, LEFT + WIDTH);
    for (int tick = 0; tick <= TICKS; tick++) {
      double at = seconds * tick / TICKS;
      append("<path d='M%.1f %d v4' stroke='black'/>%n", x(at), bottom);
      append("<text x='%.1f' y='%d' text-anchor='middle'>%.0f s</text>%n", x(at), bottom + 18, at);
    }
  }

  private double x(double second) {
    return LEFT + WIDTH * second / seconds;
  }

  private static String colour(int job) {
    return SvgChart.COLOURS.get((job - 1) % SvgChart.COLOURS.size());
  }

  private void append(String format, Object... values) {
    body.append(String.format(Locale.ROOT, format, values));
  }
}
