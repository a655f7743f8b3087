package io.vdfs.common.rpc;

import java.time.Duration;

/**
 * Time limits of a control client.
 *
 * @param connectTimeout within which a connection must stand
 * @param callTimeout without a sign of life of the server, after which a call fails; longer than
 *     the server's own limit, so that a slow server still gets to say why
 */
public record ControlClientSettings(Duration connectTimeout, Duration callTimeout) {
  public static final ControlClientSettings DEFAULT =
      new ControlClientSettings(Duration.ofSeconds(3), Duration.ofSeconds(30));

  public ControlClientSettings {
    requireMillis("connectTimeout", connectTimeout);
    requireMillis("callTimeout", callTimeout);
  }

  private static void requireMillis(String name, Duration value) {
    long millis = value.toMillis();
    if (millis < 1 || millis > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "time limit must be between 1 ms and 24 days: " + name + "=" + value);
    }
  }
}
