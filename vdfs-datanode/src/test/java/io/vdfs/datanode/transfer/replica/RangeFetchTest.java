package io.vdfs.datanode.transfer.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.proto.ReadRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class RangeFetchTest {
  @Test
  void shouldNotShareAConnectionFurtherThatNothingCameBy() throws IOException {
    try (ServerSocket mute = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        DataConnections connections =
            new DataConnections(Duration.ofSeconds(5), new Counters<>(NetCounter.class))) {
      DataAddress address = new DataAddress("127.0.0.1", mute.getLocalPort());
      DataConnection silent = connections.shared(address).join();
      ReadRequest request = ReadRequest.newBuilder().setLength(512).build();

      VdfsException late =
          assertThrows(
              VdfsException.class,
              () -> RangeFetch.get(connections, address, request, 512, Duration.ofMillis(100)));

      assertEquals(ErrorCode.UNAVAILABLE, late.code());
      assertNotSame(silent, connections.shared(address).join());
    }
  }
}
