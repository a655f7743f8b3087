package io.vdfs.datanode.ledger.op;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.datanode.ledger.state.StreamMemory;
import java.util.Optional;

/**
 * The bounds that a stream must keep within while it is created, and how far a draw looks for a
 * preference, so that no user fills the memory or takes the time of the members that keep all
 * streams. Immutable.
 *
 * @param geometry of the cluster, whose blocks and groups the stream must have; empty for any
 * @param pathLength characters of a file's path
 * @param blocks to hand out
 * @param streams of one user
 * @param indexesPerHint of a file that stands several times in the input, at which a draw looks for
 *     what a node prefers
 * @param memory bytes of heap of one user's streams, as {@link StreamMemory} estimates them
 */
public record StreamBounds(
    Optional<ClusterGeometry> geometry,
    int pathLength,
    long blocks,
    int streams,
    int indexesPerHint,
    long memory) {
  /**
   * For requests that were logged before there were bounds: what was accepted and drawn stays so.
   */
  public static final StreamBounds NONE =
      new StreamBounds(
          Optional.empty(),
          Integer.MAX_VALUE,
          Long.MAX_VALUE,
          Integer.MAX_VALUE,
          Integer.MAX_VALUE,
          Long.MAX_VALUE);

  /** A petabyte in blocks of 8 MiB. */
  private static final long BLOCKS = 1L << 27;

  /** Five jobs a minute, as a stream stays for a week after its job. */
  private static final int STREAMS = 50_000;

  /** A job names a file once or twice; a hint that misses costs nothing but speed. */
  private static final int INDEXES_PER_HINT = 16;

  /**
   * @param memory of the streams of a user, as the leader says with the request
   */
  public static StreamBounds of(ClusterGeometry geometry, int pathLength, long memory) {
    return new StreamBounds(
        Optional.of(geometry), pathLength, BLOCKS, STREAMS, INDEXES_PER_HINT, memory);
  }
}
