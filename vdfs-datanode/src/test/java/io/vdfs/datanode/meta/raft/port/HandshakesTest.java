package io.vdfs.datanode.meta.raft.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class HandshakesTest {
  private final Handshakes handshakes = new Handshakes();

  private static InetSocketAddress host(int number, int port) {
    return new InetSocketAddress("10.0.%d.%d".formatted(number / 250, number % 250), port);
  }

  @Test
  void shouldLockOutOnlyTheHostThatHasTooMany() {
    for (int i = 0; i < Handshakes.OF_HOST; i++) {
      assertTrue(handshakes.begin(host(1, 1_000 + i)));
    }
    assertFalse(handshakes.begin(host(1, 9_000)));
    assertTrue(handshakes.begin(host(2, 9_000)));
    handshakes.end(host(1, 1_000));
    assertTrue(handshakes.begin(host(1, 9_001)));
    assertFalse(handshakes.begin(host(1, 9_002)));
  }

  @Test
  void shouldBoundAllTogether() {
    int begun = 0;
    for (int i = 0; i < 2 * Handshakes.OF_ALL; i++) {
      begun += handshakes.begin(host(i, 1)) ? 1 : 0;
    }
    assertEquals(Handshakes.OF_ALL, begun);
    for (int i = 0; i < Handshakes.OF_ALL; i++) {
      handshakes.end(host(i, 1));
    }
    assertTrue(handshakes.begin(host(0, 1)));
  }
}
