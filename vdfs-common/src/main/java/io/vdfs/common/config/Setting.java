package io.vdfs.common.config;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.Objects;

/**
 * One configuration key: its name, its default as a user would write it, and how its text becomes a
 * value. Immutable.
 *
 * @param key full name, for instance {@code vdfs.data.port}
 * @param defaultText default as text; empty where there is none
 * @param parser turns text into a value
 */
public record Setting<T>(String key, String defaultText, Parser<T> parser) {
  /** Turns the text of a setting into its value. */
  @FunctionalInterface
  public interface Parser<T> {
    /**
     * @param text trimmed, possibly empty
     * @throws IllegalArgumentException if {@code text} is no value; the message says what one looks
     *     like, for instance {@code "expected a port, 0 to 65535"}
     */
    T parse(String text);
  }

  public Setting {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(defaultText, "defaultText");
    Objects.requireNonNull(parser, "parser");
  }

  /**
   * @param source where {@code text} was found, for the message
   * @throws VdfsException MISCONFIGURED naming key, text, source and what is expected
   */
  T parse(String text, String source) throws VdfsException {
    try {
      return parser.parse(text.trim());
    } catch (IllegalArgumentException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          key + "=" + text.trim() + ": " + e.getMessage() + "; correct it in " + source,
          e);
    }
  }
}
