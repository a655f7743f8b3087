package io.vdfs.datanode.ledger.op;

import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerResponse;
import java.util.List;

/**
 * The decision of an operation: the records to replay, in order, and the answer, which may leave
 * only after they are durable. Without records the state stays as it is. Immutable.
 */
public record LedgerOutcome(List<LedgerRecord> records, LedgerResponse response) {
  public LedgerOutcome {
    records = List.copyOf(records);
  }
}
