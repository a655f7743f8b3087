package io.vdfs.cli.diag;

/**
 * The result of one check. Immutable.
 *
 * @param subject what was checked, such as {@code calculator} or {@code node n1:8041}
 * @param text how it is, with values
 * @param cure what to do; empty where nothing is to be done
 */
record Finding(Level level, String subject, String text, String cure) {
  /** How bad it is. */
  enum Level {
    /** As it should be. */
    OK,
    /** Jobs run, but not as they could. */
    WARNING,
    /** Jobs fail. */
    ERROR
  }

  static Finding ok(String subject, String text) {
    return new Finding(Level.OK, subject, text, "");
  }

  static Finding warning(String subject, String text, String cure) {
    return new Finding(Level.WARNING, subject, text, cure);
  }

  static Finding error(String subject, String text, String cure) {
    return new Finding(Level.ERROR, subject, text, cure);
  }
}
