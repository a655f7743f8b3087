package io.vdfs.datanode.web;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.MetricGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves {@code GET /metrics} to Prometheus. A connection that does not send its request, or take
 * the answer, within {@value #LIMIT_SECONDS} seconds is cut off. Thread-safe.
 */
public final class MetricsServer implements AutoCloseable {
  private static final String PATH = "/metrics";
  private static final int BACKLOG = 16;
  private static final int THREADS = 4;
  private static final int LIMIT_SECONDS = 5;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int NOT_ALLOWED = 405;
  private static final int NO_BODY = -1;

  static {
    // the JDK's server reads these once, before its first start, and else waits forever
    limit("sun.net.httpserver.maxReqTime");
    limit("sun.net.httpserver.maxRspTime");
  }

  private final HttpServer server;
  private final ExecutorService threads;

  private MetricsServer(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  private static void limit(String property) {
    System.getProperties().putIfAbsent(property, Integer.toString(LIMIT_SECONDS));
  }

  /**
   * @param address where to listen; port 0 takes any free one
   * @param key setting that gave the port, for the message
   * @throws VdfsException MISCONFIGURED if the port is taken
   */
  public static MetricsServer start(InetSocketAddress address, String key, List<MetricGroup> groups)
      throws VdfsException {
    HttpServer server = bind(address, key);
    // each reads a request to its end before it turns to another one
    ExecutorService threads =
        Executors.newFixedThreadPool(THREADS, DaemonThreads.named("vdfs-metrics"));
    server.setExecutor(threads);
    server.createContext("/", exchange -> answer(exchange, groups));
    server.start();
    return new MetricsServer(server, threads);
  }

  private static HttpServer bind(InetSocketAddress address, String key) throws VdfsException {
    try {
      return HttpServer.create(address, BACKLOG);
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("cannot listen for monitoring: %s=%s, address=%s, reason=%s; free the port or"
                  + " configure another one")
              .formatted(key, address.getPort(), address.getHostString(), e.getMessage()),
          e);
    }
  }

  private static void answer(HttpExchange exchange, List<MetricGroup> groups) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals(PATH)) {
        exchange.sendResponseHeaders(NOT_FOUND, NO_BODY);
      } else if (!exchange.getRequestMethod().equals("GET")) {
        exchange.sendResponseHeaders(NOT_ALLOWED, NO_BODY);
      } else {
        byte[] body =
            PrometheusText.of(BuildVersion.running(), groups).getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", PrometheusText.CONTENT_TYPE);
        exchange.sendResponseHeaders(OK, body.length);
        exchange.getResponseBody().write(body);
      }
    }
  }

  /** The port it listens at. */
  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
