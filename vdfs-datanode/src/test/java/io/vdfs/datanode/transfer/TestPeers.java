package io.vdfs.datanode.transfer;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Nodes of test clusters, as their data ports know each other. */
public final class TestPeers {
  private TestPeers() {}

  /** A node that never saw another one. */
  public static DataPeers alone(UUID cluster, NodeId self) {
    return of(cluster, self, node -> Optional.empty());
  }

  public static DataPeers of(
      UUID cluster, NodeId self, Function<NodeId, Optional<DataAddress>> addresses) {
    return new DataPeers(cluster, self, addresses);
  }
}
