package io.vdfs.datanode.meta;

import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

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
   * error and leaves the state as it was, but for the call cache.
   *
   * @param request a mutation whose caller and time were filled in by the leader
   */
  MetaResponse apply(MetaRequest request);

  /** Answers a query and changes nothing. Bad input gives a response with an error. */
  MetaResponse query(MetaRequest request);

  /** Writes the whole state; {@code out} is not closed. */
  void save(OutputStream out) throws IOException;

  /**
   * Replaces the state by a saved one.
   *
   * @throws io.vdfs.common.error.VdfsException CORRUPT if {@code in} is damaged or cut short; the
   *     state is then undefined and must not be used
   */
  void load(InputStream in) throws IOException;
}
