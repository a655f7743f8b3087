package io.vdfs.datanode.meta;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;

/**
 * The state that the metadata group replicates: namespace, leases, deletions and ledgers.
 *
 * <p>Deterministic and without knowledge of Raft, clocks, threads or disks: the same sequence of
 * requests gives the same state and the same responses on every replica. Confined to one thread,
 * the metadata loop.
 */
public interface ReplicatedState {
  /**
   * Executes a committed mutation. Never throws for bad input: a refusal is a response with an
   * error and leaves the state as it was, except for the call cache.
   *
   * @param request a mutation whose caller and time were filled in by the leader
   */
  MetaResponse apply(MetaRequest request);

  /**
   * Tells what became of a mutation that was sent before, and changes nothing. For a leader that
   * has applied all that was committed before its term, and not yet logged this try: any other try
   * is then applied, or in the log before this one, or can never be committed.
   *
   * @param request with a call id, and with caller and time filled in by the leader
   * @param ageMillis since its first try was sent; negative counts as for ever
   * @return the first response; OUTCOME_UNKNOWN if there may have been one that is forgotten; empty
   *     if it has not been carried out so far
   */
  Optional<MetaResponse> recall(MetaRequest request, long ageMillis);

  /** Answers a query and changes nothing. Bad input gives a response with an error. */
  MetaResponse query(MetaRequest request);

  /** The feature levels that this state can carry out; on any thread. */
  FeatureLevels levels();

  /** The feature level in force; only rises. */
  int level();

  /**
   * The whole state as it is now. Takes time and memory for a reference to each of its parts, not
   * for writing them.
   */
  Image image();

  /** Writes the whole state; {@code out} is not closed. */
  default void save(OutputStream out) throws IOException {
    image().write(out);
  }

  /**
   * Replaces the state by a saved one.
   *
   * @throws io.vdfs.common.error.VdfsException CORRUPT if {@code in} is damaged or cut short,
   *     UNSUPPORTED if it is above {@link #levels}; the state is then undefined and must not be
   *     used
   */
  void load(InputStream in) throws IOException;

  /** A state at a moment. Immutable: any thread may write it while the state goes on. */
  @FunctionalInterface
  interface Image {
    /** Writes the whole image; {@code out} is not closed. */
    void write(OutputStream out) throws IOException;
  }
}
