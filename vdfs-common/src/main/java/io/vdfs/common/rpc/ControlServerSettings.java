package io.vdfs.common.rpc;

import java.time.Duration;

/**
 * How a control server listens.
 *
 * @param host address to listen on, {@code 0.0.0.0} for all
 * @param port 0 for any free one
 * @param portKey the setting that {@code port} was read from; named where the port can't be had
 * @param handlers threads that take calls
 * @param callLimit after which a call without an answer is answered with UNAVAILABLE
 * @param limits what one user and all together may take
 */
public record ControlServerSettings(
    String host, int port, String portKey, int handlers, Duration callLimit, CallLimits limits) {
  public ControlServerSettings {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("not a port: " + portKey + "=" + port);
    }
    if (handlers < 1) {
      throw new IllegalArgumentException("at least one handler is needed: handlers=" + handlers);
    }
    if (callLimit.isNegative() || callLimit.isZero()) {
      throw new IllegalArgumentException("the limit must be positive: callLimit=" + callLimit);
    }
  }

  public static ControlServerSettings of(String host, int port, String portKey) {
    return new ControlServerSettings(
        host,
        port,
        portKey,
        8,
        Duration.ofSeconds(25),
        CallLimits.within(
            Runtime.getRuntime().maxMemory(), Integer.MAX_VALUE, CallLimits.DEFAULT_USER_CALLS));
  }
}
