package io.vdfs.yarn;

import java.util.Optional;

/**
 * A port of a host. Immutable.
 *
 * @param host as it was written
 */
record HostPort(String host, int port) {
  private static final int LAST_PORT = 65_535;

  /**
   * @param key setting that holds the text, for the message
   * @return empty for the empty text
   */
  static Optional<HostPort> parse(String key, String text) throws RefusedException {
    if (text.isEmpty()) {
      return Optional.empty();
    }
    int colon = text.lastIndexOf(':');
    String expected = "expected HOST:PORT, such as localhost:9863";
    if (colon <= 0) {
      throw RefusedException.of(key, text, expected, Optional.empty());
    }
    try {
      int port = Integer.parseInt(text.substring(colon + 1));
      if (port >= 1 && port <= LAST_PORT) {
        return Optional.of(new HostPort(text.substring(0, colon), port));
      }
      throw RefusedException.of(key, text, expected, Optional.empty());
    } catch (NumberFormatException e) {
      throw RefusedException.of(key, text, expected, Optional.of(e));
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
