package io.vdfs.cli.balance;

import java.util.List;
import picocli.CommandLine.Help.Ansi;

/** Bars that show how much each node has, with marks that all of them share. Stateless. */
final class LoadBar {
  private static final int LEAST_CELLS = 10;
  private static final int PLAIN_CELLS = 30;

  /** A mark that all bars show at a value. */
  record Mark(char sign, double at) {}

  private LoadBar() {}

  /**
   * Columns of a bar.
   *
   * @param width of the terminal; 0 where there is none
   * @param taken columns before the bar
   */
  static int cells(int width, int taken) {
    return width == 0 ? PLAIN_CELLS : Math.max(LEAST_CELLS, width - taken);
  }

  /**
   * A bar that fills all cells if the value is the greatest one.
   *
   * @param most the greatest value; nothing is shown where it is 0
   * @param marks the later one wins where two meet; one outside of the bar is shown at its end
   */
  static String of(long value, long most, int cells, List<Mark> marks) {
    if (most == 0) {
      return "";
    }
    int filled = (int) Math.round((double) cells * value / most);
    StringBuilder bar =
        new StringBuilder("#".repeat(filled) + " ".repeat(Math.max(0, cells - filled)));
    for (Mark mark : marks) {
      long cell = Math.round(cells * mark.at() / most);
      bar.setCharAt((int) Math.max(0, Math.min(cells - 1, cell)), mark.sign());
    }
    return bar.toString().stripTrailing();
  }

  /** In another colour if the value is beyond one standard deviation, on a terminal. */
  static String coloured(String bar, boolean beyond, boolean terminal) {
    return terminal ? Ansi.ON.string("@|" + (beyond ? "yellow" : "green") + " " + bar + "|@") : bar;
  }
}
