package io.vdfs.datanode.ledger.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.LedgerRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The records that one operation decides on, in order. Confined to the loop of the ledger. */
public final class LedgerChanges {
  private final List<LedgerRecord> records = new ArrayList<>();

  public List<LedgerRecord> records() {
    return Collections.unmodifiableList(records);
  }

  void add(LedgerRecord record) {
    records.add(record);
  }

  /** A record of a stream, for the operation to say what it is. */
  static LedgerRecord.Builder of(ByteString streamId) {
    return LedgerRecord.newBuilder().setStreamId(streamId);
  }
}
