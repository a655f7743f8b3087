package io.vdfs.datanode.ledger;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.datanode.ledger.op.LedgerOutcome;
import io.vdfs.datanode.ledger.op.StreamBounds;
import io.vdfs.datanode.ledger.state.Caller;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Hosts a ledger as the replicated state machine does: execute, record, replay, answer. A change of
 * leader rebuilds the ledger from a snapshot and the records after it. Planted bugs subclass it.
 */
class LedgerHost {
  static final Caller USER = new Caller("alice", false);
  static final Caller SUPERUSER = new Caller("vdfs", true);

  private List<LedgerRecord> snapshot = List.of();
  private final List<LedgerRecord> log = new ArrayList<>();
  private Ledger ledger = new Ledger();
  private StreamBounds bounds = StreamBounds.NONE;

  /**
   * As {@link #call}, with the number of the attempt that asks, which only planted bugs look at.
   */
  LedgerResponse callFrom(int attempt, LedgerRequest request, Caller caller, long time)
      throws VdfsException {
    return call(request, caller, time);
  }

  LedgerResponse call(LedgerRequest request, Caller caller, long time) throws VdfsException {
    LedgerOutcome outcome = ledger.execute(request, caller, time, bounds);
    outcome.records().forEach(this::append);
    return outcome.response();
  }

  /** Bounds of the streams that are created from now on; none at first. */
  void bound(StreamBounds next) {
    bounds = next;
  }

  LedgerResponse query(LedgerQuery query, Caller caller) throws VdfsException {
    return ledger.query(query, caller);
  }

  /** The job's master has given up an attempt. The ledger has no use for that. */
  void attemptGivenUp(int task, int attempt) {}

  Ledger ledger() {
    return ledger;
  }

  List<LedgerRecord> log() {
    return log;
  }

  void append(LedgerRecord record) {
    log.add(record);
    ledger.replay(record);
  }

  void takeSnapshot() {
    snapshot = records(ledger);
    log.clear();
  }

  /** A replica takes over: it knows the last snapshot and the log after it. */
  void changeLeader() {
    ledger = rebuilt();
  }

  Ledger rebuilt() {
    Ledger next = new Ledger();
    snapshot.forEach(next::replay);
    log.forEach(next::replay);
    return next;
  }

  /** Puts another state in the place of the present one, as only a bug can. */
  void become(List<LedgerRecord> state) {
    snapshot = state;
    log.clear();
    ledger = rebuilt();
  }

  static List<LedgerRecord> records(Ledger ledger) {
    List<LedgerRecord> records = new ArrayList<>();
    ledger.snapshot(records::add);
    return records;
  }

  /** Equal for equal states, and only for those. */
  static byte[] canonical(Ledger ledger) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (LedgerRecord record : records(ledger)) {
      try {
        record.writeDelimitedTo(bytes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return bytes.toByteArray();
  }
}
