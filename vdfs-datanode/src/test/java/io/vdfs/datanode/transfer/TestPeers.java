package io.vdfs.datanode.transfer;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.security.WriteTickets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** Nodes of test clusters, as their data ports know each other. All have the same key. */
public final class TestPeers {
  private static final ClusterKey KEY = ClusterKey.generate(new Constant());

  private TestPeers() {}

  /** So that a test of several processes has one key, too. */
  private static final class Constant extends SecureRandom {
    private static final long serialVersionUID = 1;

    @Override
    public void nextBytes(byte[] bytes) {
      Arrays.fill(bytes, (byte) 7);
    }
  }

  /** A node that never saw another one. */
  public static DataPeers alone(UUID cluster, NodeId self) {
    return of(cluster, self, node -> Optional.empty());
  }

  public static DataPeers of(
      UUID cluster, NodeId self, Function<NodeId, Optional<DataAddress>> addresses) {
    return new DataPeers(cluster, self, tickets(cluster), proofs(), addresses);
  }

  public static WriteTickets tickets(UUID cluster) {
    return new WriteTickets(KEY, cluster);
  }

  public static NodeProofs proofs() {
    return new NodeProofs(KEY);
  }
}
