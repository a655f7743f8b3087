package io.vdfs.client.meta;

import io.vdfs.client.ClusterSpace;
import java.io.IOException;
import java.util.Optional;

/** What a client knows of its cluster. Implementations are thread-safe. */
public interface ClusterAccess {
  /**
   * The cluster as last heard of; asks for it where nothing is known or the knowledge is old.
   *
   * @throws io.vdfs.common.error.VdfsException UNAVAILABLE if no node answers and nothing is known
   */
  ClusterSnapshot current() throws IOException;

  /**
   * The newest knowledge however old it is; never asks, never blocks.
   *
   * @return empty before anybody asked
   */
  Optional<ClusterSnapshot> known();

  /**
   * Asks again unless another thread has done so since {@code stale} was handed out. Where no node
   * answers, what is known stays.
   *
   * @return the newest knowledge
   */
  ClusterSnapshot refresh(ClusterSnapshot stale) throws IOException;

  /**
   * Asks each live node for the room on its volumes; leaves out those that do not answer.
   *
   * @throws io.vdfs.common.error.VdfsException UNAVAILABLE if none does
   */
  ClusterSpace space() throws IOException;
}
