package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DataNodeGaugesTest {
  private static final String METRICS =
      """
      # HELP vdfs_volume_disk_busy_percent share
      # TYPE vdfs_volume_disk_busy_percent gauge
      vdfs_volume_disk_busy_percent{directory="/d1"} 90
      vdfs_volume_disk_busy_percent{directory="/d 2} 7"} 30
      vdfs_volume_disk_queue_hundredths{directory="/d1"} 350
      vdfs_volume_disk_queue_hundredths{directory="/d 2} 7"} 50
      vdfs_volume_read_ahead_bytes{directory="/d1"} 104857600
      vdfs_volume_read_ahead_bytes{directory="/d 2} 7"} 104857600
      vdfs_process_heap_growth_bytes 734003200
      vdfs_volume_disk_busy_percents{directory="/d1"} 99
      """;

  @Test
  void shouldTakeTheMeanOfDisksAndTheSumOfMemory() {
    assertEquals(
        new DataNodeGauges(Optional.of(new Sample.Disks(0.6, 2)), 200, 700),
        DataNodeGauges.parse(METRICS));
  }

  @Test
  void shouldKnowNothingOfDisksWithoutGauges() {
    assertEquals(
        new DataNodeGauges(Optional.empty(), 0, 0),
        DataNodeGauges.parse("vdfs_volume_disk_busy_percent{directory=\"/d\"} -4\n<html>"));
  }

  @Test
  void shouldReadThePageOfThisMachineOnly() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    server.createContext(
        "/metrics",
        exchange -> {
          byte[] body = METRICS.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    int port = server.getAddress().getPort();
    DataNodePage page = new DataNodePage(new HostPort("127.0.0.1", port));
    try {
      assertEquals(200, page.read().readAhead());
    } finally {
      server.stop(0);
    }
    assertThrows(IOException.class, page::read);
    IOException elsewhere =
        assertThrows(
            IOException.class, () -> new DataNodePage(new HostPort("192.0.2.1", port)).read());
    assertTrue(elsewhere.getMessage().contains("192.0.2.1:" + port), elsewhere.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\n\r\n"})
  @Timeout(20)
  void shouldGiveUpOnAPageThatComesByteByByte(String start) throws Exception {
    ScheduledExecutorService drip = Executors.newSingleThreadScheduledExecutor();
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      CompletableFuture<IOException> refused =
          CompletableFuture.supplyAsync(
              () ->
                  assertThrows(
                      IOException.class,
                      new DataNodePage(new HostPort("127.0.0.1", server.getLocalPort()))::read));
      try (Socket reader = server.accept()) {
        OutputStream out = reader.getOutputStream();
        out.write(start.getBytes(StandardCharsets.US_ASCII));
        Future<?> drops = drip.scheduleAtFixedRate(() -> drop(out), 50, 50, TimeUnit.MILLISECONDS);
        assertTrue(refused.get(10, TimeUnit.SECONDS).getMessage().contains("half a second"));
        drops.cancel(true);
      }
    } finally {
      drip.shutdownNow();
    }
  }

  private static void drop(OutputStream out) {
    try {
      out.write('#');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldTakeNothingFromAnotherKindOfPage() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    server.start();
    DataNodePage page = new DataNodePage(new HostPort("127.0.0.1", server.getAddress().getPort()));
    try {
      assertTrue(assertThrows(IOException.class, page::read).getMessage().contains("404"));
    } finally {
      server.stop(0);
    }
  }
}
