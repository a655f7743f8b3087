package io.vdfs.datanode;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.PathTrouble;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.machine.WholeFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A port that the system chose once and that this node keeps: the members of a Raft group know each
 * other by address. Remembered in a small file, which no loss of power leaves half written.
 * Stateless.
 */
final class StickyPort {
  private StickyPort() {}

  /**
   * @param file remembers the port; made if it does not exist
   * @return a port that was free on {@code address} when it was first chosen
   * @throws VdfsException MISCONFIGURED if the file can't be used or holds no port; the message
   *     names it
   */
  static int get(Path file, String address) throws VdfsException {
    try {
      return Integer.parseInt(Files.readString(file).strip());
    } catch (NoSuchFileException e) {
      return choose(file, address);
    } catch (IOException | NumberFormatException e) {
      throw unusable(file, e);
    }
  }

  private static int choose(Path file, String address) throws VdfsException {
    int port = choose(address);
    try {
      WholeFile.write(file, UTF_8.encode(port + "\n"));
      return port;
    } catch (IOException e) {
      throw unusable(file, e);
    }
  }

  /**
   * A port that is free now, which is not remembered.
   *
   * @throws VdfsException MISCONFIGURED if the address is none of this machine
   */
  static int choose(String address) throws VdfsException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getByName(address), 0));
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cannot choose a Raft port: address=%s, cause=%s; change %s or set %s"
              .formatted(
                  address, e, DaemonSettings.BIND_ADDRESS.key(), DaemonSettings.RAFT_PORT.key()),
          e);
    }
  }

  private static VdfsException unusable(Path file, Exception cause) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "cannot keep this node's Raft port in %s: %s; %s, or set %s"
            .formatted(
                file,
                cause,
                PathTrouble.cure(cause, "delete it where it is damaged"),
                DaemonSettings.RAFT_PORT.key()),
        cause);
  }
}
