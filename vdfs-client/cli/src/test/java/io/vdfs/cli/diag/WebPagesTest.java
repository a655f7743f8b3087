package io.vdfs.cli.diag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WebPagesTest {
  private static final WebPages PAGES = new WebPages(Duration.ofSeconds(20));

  /** Sends one answer to whoever connects, and keeps the connections open. */
  private static final class Server implements AutoCloseable {
    private final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> open = new ArrayList<>();
    private final CompletableFuture<Void> served;

    Server(String answer) throws IOException {
      served =
          CompletableFuture.runAsync(
              () -> {
                try {
                  Socket client = socket.accept();
                  open.add(client);
                  client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
    }

    URI address() {
      return URI.create("http://127.0.0.1:" + socket.getLocalPort() + "/jmx");
    }

    @Override
    public void close() throws IOException {
      served.join();
      for (Socket client : open) {
        client.close();
      }
      socket.close();
    }
  }

  @Test
  void shouldReadAPage() throws IOException {
    try (Server server = new Server("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{\"a\": 1}")) {
      assertEquals(1, PAGES.get(server.address()).path("a").asInt());
    }
  }

  @Test
  void shouldNotWaitForTheRestOfAnAnswer() throws IOException {
    try (Server server = new Server("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")) {
      WebPages impatient = new WebPages(Duration.ofSeconds(2));
      IOException failure = assertThrows(IOException.class, () -> impatient.get(server.address()));
      assertTrue(
          failure.getMessage().endsWith("does not answer within 2000 ms"), failure::toString);
    }
  }

  @Test
  void shouldNameThePageThatRefuses() throws IOException {
    try (Server server = new Server("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")) {
      IOException failure = assertThrows(IOException.class, () -> PAGES.get(server.address()));
      assertEquals(server.address() + " answers with status 500", failure.getMessage());
    }
  }
}
