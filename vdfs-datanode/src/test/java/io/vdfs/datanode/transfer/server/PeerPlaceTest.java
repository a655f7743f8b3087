package io.vdfs.datanode.transfer.server;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.local.LocalAddress;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import org.junit.jupiter.api.Test;

class PeerPlaceTest {
  @Test
  void shouldKnowThisMachineByItsAddresses() throws IOException {
    assertTrue(PeerPlace.isHere(new InetSocketAddress(InetAddress.getLoopbackAddress(), 5)));
    assertTrue(PeerPlace.isHere(new InetSocketAddress("127.0.0.9", 5)));
    byte[] loopback6 = new byte[16];
    loopback6[15] = 1;
    assertTrue(PeerPlace.isHere(new InetSocketAddress(InetAddress.getByAddress(loopback6), 5)));
    for (InetAddress own :
        NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).toList()) {
      assertTrue(PeerPlace.isHere(new InetSocketAddress(own, 5)), own::toString);
    }
  }

  @Test
  void shouldTrustNoOtherAddress() {
    assertFalse(PeerPlace.isHere(new InetSocketAddress("192.0.2.1", 5)));
    assertFalse(PeerPlace.isHere(new InetSocketAddress("2001:db8::1", 5)));
    assertFalse(PeerPlace.isHere(InetSocketAddress.createUnresolved("localhost", 5)));
    assertFalse(PeerPlace.isHere(new LocalAddress("here")));
    assertFalse(PeerPlace.isHere(null));
  }
}
