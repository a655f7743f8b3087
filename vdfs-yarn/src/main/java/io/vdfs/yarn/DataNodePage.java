package io.vdfs.yarn;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Proxy;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/**
 * The metrics page of this machine's DataNode. Its values are used only within the bounds of the
 * settings, as another program may listen there while the DataNode is down. Stateless.
 */
final class DataNodePage {
  private static final int LIMIT_MILLIS = 500;
  private static final int MOST_BYTES = 1 << 20;

  private final HostPort address;

  DataNodePage(HostPort address) {
    this.address = address;
  }

  /**
   * @throws IOException if there is no answer in half a second, or the address is another machine's
   */
  DataNodeGauges read() throws IOException {
    InetAddress host = InetAddress.getByName(address.host());
    if (!host.isLoopbackAddress() && NetworkInterface.getByInetAddress(host) == null) {
      throw new IOException(
          OvercommitKeys.DATANODE + "=" + address + " is not an address of this machine");
    }
    URL page = new URL("http", address.host(), address.port(), "/metrics");
    HttpURLConnection connection = (HttpURLConnection) page.openConnection(Proxy.NO_PROXY);
    connection.setConnectTimeout(LIMIT_MILLIS);
    connection.setReadTimeout(LIMIT_MILLIS);
    connection.setInstanceFollowRedirects(false);
    try (InputStream body = connection.getInputStream()) {
      return DataNodeGauges.parse(new String(body.readNBytes(MOST_BYTES), StandardCharsets.UTF_8));
    } finally {
      connection.disconnect();
    }
  }
}
