package io.vdfs.client.meta.cluster;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** What a client knows of its cluster. Implementations are thread-safe. */
public interface ClusterAccess {
  /** As {@link #current(Duration)}, for as long as a whole call may take. */
  ClusterDescription current() throws IOException;

  /**
   * The cluster as last heard of; asks for it where nothing is known or the knowledge is old, as
   * {@link #refresh(ClusterDescription, Duration)} does.
   *
   * @throws io.vdfs.common.error.VdfsException UNAVAILABLE if no node answers and nothing is known
   */
  ClusterDescription current(Duration limit) throws IOException;

  /**
   * The newest knowledge however old it is; never asks, never blocks.
   *
   * @return empty before the first question
   */
  Optional<ClusterDescription> known();

  /** As {@link #refresh(ClusterDescription, Duration)}, for as long as a whole call may take. */
  ClusterDescription refresh(ClusterDescription stale) throws IOException;

  /**
   * Asks again unless another thread has done so since {@code stale} was handed out; where one is
   * asking now, this one takes its result. Where no node answers, what is known stays.
   *
   * @param limit after which no further node is asked; where something is known, half of it, so
   *     that the caller has time to go on with that
   * @return the newest knowledge
   */
  ClusterDescription refresh(ClusterDescription stale, Duration limit) throws IOException;

  /**
   * Asks each live node for the room on its volumes; leaves out those that do not answer, and those
   * whose turn does not come for as long as a whole call may take.
   *
   * @throws io.vdfs.common.error.VdfsException UNAVAILABLE if none does
   */
  ClusterSpace space() throws IOException;
}
