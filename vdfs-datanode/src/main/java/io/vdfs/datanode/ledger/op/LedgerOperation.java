package io.vdfs.datanode.ledger.op;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;

/** A mutation of the ledger. Stateless and deterministic. */
public interface LedgerOperation {
  /**
   * Decides what {@code request} does and adds it to {@code changes}; changes nothing itself.
   *
   * @param request comes from anyone: each field may hold anything
   * @param changes of a refused request are dropped
   * @return the response, given that the changes are replayed
   * @throws VdfsException the refusal
   */
  LedgerResponse decide(LedgerRequest request, LedgerContext context, LedgerChanges changes)
      throws VdfsException;
}
