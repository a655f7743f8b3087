package io.vdfs.yarn;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The metrics page of this machine's DataNode. Its values are used only within the bounds of the
 * settings, as another program may listen there while the DataNode is down. It is read over a bare
 * connection, as the JDK's clients limit the wait for each read and not for all of them. Stateless.
 */
final class DataNodePage {
  private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MOST_BYTES = 1 << 20;
  private static final int PART_BYTES = 1 << 13;
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})\\b");

  private final HostPort address;

  DataNodePage(HostPort address) {
    this.address = address;
  }

  /**
   * @throws IOException if the whole answer is not there in half a second, or the address is
   *     another machine's
   */
  DataNodeGauges read() throws IOException {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    InetAddress host = InetAddress.getByName(address.host());
    if (!host.isLoopbackAddress() && NetworkInterface.getByInetAddress(host) == null) {
      throw new IOException(
          OvercommitKeys.DATANODE + "=" + address + " is not an address of this machine");
    }
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(host, address.port()), millisUntil(deadline));
      // of version 1.0, so that the answer comes in one piece and the connection ends with it
      String request = "GET /metrics HTTP/1.0\r\nHost: " + address + "\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return gauges(answer(socket, deadline));
    } catch (SocketTimeoutException e) {
      throw new IOException(address + " does not answer in half a second", e);
    }
  }

  private static String answer(Socket socket, long deadline) throws IOException {
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    byte[] part = new byte[PART_BYTES];
    int length = 0;
    while (length >= 0 && answer.size() < MOST_BYTES) {
      answer.write(part, 0, length);
      socket.setSoTimeout(millisUntil(deadline));
      length = in.read(part);
    }
    return answer.toString(StandardCharsets.UTF_8);
  }

  private static int millisUntil(long deadline) throws SocketTimeoutException {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (millis <= 0) {
      throw new SocketTimeoutException("the time is up");
    }
    return (int) millis;
  }

  private DataNodeGauges gauges(String answer) throws IOException {
    Matcher status = STATUS.matcher(answer);
    if (!status.lookingAt() || !status.group(1).equals("200")) {
      throw new IOException(
          "%s has no metrics: status=%s"
              .formatted(address, status.lookingAt() ? status.group(1) : "none"));
    }
    return DataNodeGauges.parse(answer);
  }
}
