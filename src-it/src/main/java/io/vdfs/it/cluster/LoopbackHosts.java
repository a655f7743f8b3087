package io.vdfs.it.cluster;

import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.IntStream;

/** Names of this machine's loopback addresses, each standing for a host. Stateless. */
public final class LoopbackHosts {
  private LoopbackHosts() {}

  /** The address of host number {@code host}, from 0. */
  static String address(int host) {
    return "127.0.0." + (host + 1);
  }

  /** What YARN calls host number {@code host}: the name its address resolves to, or the address. */
  static String name(int host) {
    try {
      return InetAddress.getByName(address(host)).getCanonicalHostName();
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> first(int count) {
    return IntStream.range(0, count).mapToObj(LoopbackHosts::name).toList();
  }
}
