package io.vdfs.common.config;

import com.google.common.base.Splitter;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The value types of settings. Stateless. */
public final class Parsers {
  private static final Pattern QUANTITY = Pattern.compile("(\\d{1,15})\\s*([a-zA-Z]*)");
  private static final Map<String, Long> MILLIS =
      Map.of("ms", 1L, "s", 1_000L, "m", 60_000L, "h", 3_600_000L, "d", 86_400_000L);
  private static final Map<String, Long> BYTES =
      Map.of("", 1L, "b", 1L, "k", 1L << 10, "m", 1L << 20, "g", 1L << 30, "t", 1L << 40);

  private Parsers() {}

  /** Any text but the empty one. */
  public static String text(String text) {
    require(!text.isEmpty(), "a value is needed");
    return text;
  }

  /** Any text; empty stands for "not set". */
  public static String optionalText(String text) {
    return text;
  }

  public static Setting.Parser<Integer> integer(int least, int most) {
    return text -> {
      String expected = "expected a whole number, " + least + " to " + most;
      try {
        int value = Integer.parseInt(text);
        require(value >= least && value <= most, expected);
        return value;
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(expected, e);
      }
    };
  }

  /** A decimal number of that range, or 0. */
  public static Setting.Parser<Double> decimalOrZero(double least, double most) {
    String expected = "expected 0 or a number between " + least + " and " + most;
    return text -> {
      try {
        double value = Double.parseDouble(text);
        require(value == 0 || (value >= least && value <= most), expected);
        return value;
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(expected, e);
      }
    };
  }

  /** One of the constants of an enum, in lower case. */
  public static <E extends Enum<E>> Setting.Parser<E> oneOf(Class<E> constants) {
    String expected =
        Arrays.stream(constants.getEnumConstants())
            .map(constant -> constant.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", ", "expected one of ", ""));
    return text -> {
      try {
        return Enum.valueOf(constants, text.toUpperCase(Locale.ROOT));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(expected, e);
      }
    };
  }

  /** A TCP port; 0 lets the system choose one. */
  public static int port(String text) {
    return integer(0, 65_535).parse(text);
  }

  public static boolean bool(String text) {
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException("expected true or false");
    };
  }

  /** A time with its unit: {@code 500ms}, {@code 10s}, {@code 2m}, {@code 1h}, {@code 7d}. */
  public static Duration duration(String text) {
    return Duration.ofMillis(
        quantity(text, MILLIS, "expected a time with its unit, such as 500ms, 10s, 2m, 1h or 7d"));
  }

  /** Bytes, binary units: {@code 4096}, {@code 64k}, {@code 8m}, {@code 1g}, {@code 2t}. */
  public static long size(String text) {
    return quantity(text, BYTES, "expected a size in bytes, such as 4096, 64k, 8m or 1g");
  }

  /** Comma-separated absolute directories, at least one, none twice. */
  public static List<Path> directories(String text) {
    List<Path> paths =
        Splitter.on(',')
            .trimResults()
            .omitEmptyStrings()
            .splitToStream(text)
            .map(Parsers::directory)
            .toList();
    require(!paths.isEmpty(), "expected one or more absolute directories, separated by commas");
    require(paths.stream().distinct().count() == paths.size(), "a directory is named twice");
    return paths;
  }

  public static Path directory(String text) {
    return absolute(text, "expected an absolute directory");
  }

  /** The absolute name of a file. */
  public static Path file(String text) {
    return absolute(text, "expected the absolute name of a file");
  }

  private static Path absolute(String text, String expected) {
    try {
      Path path = Path.of(text);
      require(path.isAbsolute(), expected);
      return path.normalize();
    } catch (InvalidPathException e) {
      throw new IllegalArgumentException(expected, e);
    }
  }

  private static long quantity(String text, Map<String, Long> units, String expected) {
    Matcher matcher = QUANTITY.matcher(text);
    require(matcher.matches(), expected);
    Long unit = units.get(matcher.group(2).toLowerCase(Locale.ROOT));
    require(unit != null, expected);
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(expected, e);
    }
  }

  private static void require(boolean condition, String expected) {
    if (!condition) {
      throw new IllegalArgumentException(expected);
    }
  }
}
