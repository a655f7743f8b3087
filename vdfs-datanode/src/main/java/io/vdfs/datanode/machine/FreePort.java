package io.vdfs.datanode.machine;

import io.vdfs.common.config.Setting;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** Finds out whether ports are free before anything is written to disk. Stateless. */
public final class FreePort {
  private FreePort() {}

  /**
   * @param port 0 always passes
   * @throws VdfsException MISCONFIGURED if the daemon cannot listen there now; names address, port
   *     and key
   */
  public static void require(Setting<Integer> key, String address, int port) throws VdfsException {
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(address, port));
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cannot listen at %s:%s (%s); stop what uses the port or change %s"
              .formatted(address, port, e.getMessage(), key.key()),
          e);
    }
  }
}
