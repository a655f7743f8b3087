package io.vdfs.datanode.rpc.request;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Puts into a request what only the leader knows: the caller, the time, and what the ring map says.
 * The replicas must not look at anything outside of their state. Also marks what must keep within
 * bounds that older requests in the log do not know, and takes the call id off what may be executed
 * again. Thread-safe.
 */
public final class RequestPreparer {
  /** Copies that a closed file must have on disk, in a cluster that has as many nodes. */
  private static final int DURABLE_COPIES = 2;

  private final Clock clock;
  private final Supplier<Optional<RingMap>> ring;
  private final long streamMemory;
  private final IntSupplier level;

  /**
   * @param level the feature level in force
   * @param streamMemory bytes of heap that the streams of one user may take on each member
   */
  public RequestPreparer(
      Clock clock, Supplier<Optional<RingMap>> ring, IntSupplier level, long streamMemory) {
    this.clock = clock;
    this.ring = ring;
    this.level = level;
    this.streamMemory = streamMemory;
  }

  /**
   * @throws VdfsException UNAVAILABLE if the request needs a ring map and there is none yet
   */
  public MetaRequest prepare(MetaRequest request, CallerProto caller) throws VdfsException {
    MetaRequest.Builder prepared =
        request.toBuilder().setCaller(caller).setTimeMillis(clock.millis());
    switch (request.getOpCase()) {
      case CREATE -> prepared.getCreateBuilder().setRingCopies(ringCopies());
      case SET_ATTRIBUTES -> prepared.getSetAttributesBuilder().setRingCopies(ringCopies());
      case COMPLETE -> {
        CompleteOp.Builder complete = prepared.getCompleteBuilder();
        complete.setRequiredCopies(requiredCopies());
        loggable(complete.getSyncedBuilderList());
      }
      case RECORD_PROGRESS -> {
        RecordProgressOp.Builder progress = prepared.getRecordProgressBuilder();
        progress.setRequiredCopies(requiredCopies());
        loggable(progress.getSyncedBuilderList());
      }
      case REPORT_LACKING ->
          prepared
              .getReportLackingBuilder()
              .setSparesLack(level.getAsInt() >= FeatureLevels.SPARES_LACK);
      case REPLACE_FILE ->
          prepared
              .getReplaceFileBuilder()
              .setChecksCopies(level.getAsInt() >= FeatureLevels.REPLACEMENT_COPIES);
      case ACK_DELETIONS -> addNodes(prepared.getAckDeletionsBuilder());
      case LEDGER -> prepareLedger(prepared);
      default -> {
        // needs nothing from outside of the state
      }
    }
    return prepared.build();
  }

  /** A member of an earlier release would not record the checksums of groups, and so differ. */
  private void loggable(List<GroupSyncProto.Builder> groups) {
    if (level.getAsInt() < FeatureLevels.GROUP_CHECKSUMS) {
      groups.forEach(GroupSyncProto.Builder::clearChecksum);
    }
  }

  private void prepareLedger(MetaRequest.Builder prepared) {
    LedgerRequest.Builder ledger = prepared.getLedgerBuilder();
    ledger.setBounded(ledger.hasCreateChunk() || ledger.hasNext());
    ledger.setStreamMemory(ledger.hasCreateChunk() ? streamMemory : 0);
    if (ledger.hasNext()) {
      // a position is answered with the same run each time, so no answer has to be kept for retries
      prepared.clearCallId();
    }
  }

  private int requiredCopies() throws VdfsException {
    RingMap map =
        ring.get()
            .orElseThrow(
                () ->
                    new VdfsException(
                        ErrorCode.UNAVAILABLE, "no ring map yet, wait for the nodes to join"));
    return Math.min(DURABLE_COPIES, Math.min(map.replication(), map.nodes().size()));
  }

  /** Nodes of each list; 0 where there is no ring yet. */
  private int ringCopies() {
    return ring.get().map(RingMap::replication).orElse(0);
  }

  private void addNodes(AckDeletionsOp.Builder ack) {
    ack.clearNodes();
    ring.get()
        .ifPresent(map -> map.nodes().keySet().forEach(id -> ack.addNodes(WireIds.encode(id))));
  }
}
