package io.vdfs.datanode.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.datanode.rpc.request.Callers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class NodeRepairHandlerTest {
  private static final NodeRepairRequest SCRUB =
      NodeRepairRequest.newBuilder().setScrub(true).build();

  private final List<NodeRepairRequest> begun = new ArrayList<>();
  private final NodeRepairHandler handler =
      new NodeRepairHandler(
          request -> {
            begun.add(request);
            return CompletableFuture.completedFuture(
                NodeRepairResponse.newBuilder().setAudits(7).build());
          },
          new Callers("hdfs", "admins", user -> List.of(user + "-group")));

  private NodeRepairResponse call(String user, byte[] body) throws Exception {
    return NodeRepairResponse.parseFrom(
        handler.handle(RpcFixture.call(user, body)).toCompletableFuture().join());
  }

  private void assertRefused(ErrorCode code, String user, byte[] body) {
    assertEquals(code, assertThrows(VdfsException.class, () -> call(user, body)).code());
    assertEquals(List.of(), begun);
  }

  @Test
  void shouldSetNoDiskToWorkForAnybodyElse() throws Exception {
    assertRefused(ErrorCode.PERMISSION_DENIED, "ann", SCRUB.toByteArray());
    assertRefused(ErrorCode.INVALID_ARGUMENT, "hdfs", new byte[0]);
    assertRefused(ErrorCode.INVALID_ARGUMENT, "hdfs", new byte[] {-1, -1, -1});
    assertEquals(7, call("hdfs", SCRUB.toByteArray()).getAudits());
    assertEquals(List.of(SCRUB), begun);
  }
}
