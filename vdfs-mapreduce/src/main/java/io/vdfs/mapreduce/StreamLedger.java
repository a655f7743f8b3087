package io.vdfs.mapreduce;

import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import java.io.IOException;

/**
 * What logical splits need of the ledger. Every call is idempotent and is retried inside for a
 * bounded time; a failure is an exception, never an end of input. Thread-safe.
 */
interface StreamLedger {
  /** Executes a mutation at the leader. */
  LedgerResponse submit(LedgerRequest request) throws IOException;

  /** Asks the leader, linearizably. */
  LedgerResponse query(LedgerQuery query) throws IOException;

  /**
   * Draws through the stream manager of {@code host}, or of any other node where that host runs
   * none.
   */
  NextRunResult next(NextRunOp request, String host) throws IOException;
}
