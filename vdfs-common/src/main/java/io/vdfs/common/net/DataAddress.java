package io.vdfs.common.net;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.DataNodeAddress;
import java.util.Objects;

/** Host and port of a node's data plane. Immutable. */
public record DataAddress(String host, int port) {
  public DataAddress {
    Objects.requireNonNull(host, "host");
    if (host.isEmpty() || port < 1 || port > 65_535) {
      throw new IllegalArgumentException(
          "a data address needs a host and a port from 1 to 65535: host="
              + host
              + ", port="
              + port);
    }
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT if the message names no possible address
   */
  public static DataAddress of(DataNodeAddress message) throws VdfsException {
    try {
      return new DataAddress(message.getHost(), message.getPort());
    } catch (IllegalArgumentException e) {
      throw new VdfsException(ErrorCode.INVALID_ARGUMENT, e.getMessage(), e);
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
