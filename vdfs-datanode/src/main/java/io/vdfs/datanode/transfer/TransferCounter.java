package io.vdfs.datanode.transfer;

import io.vdfs.common.metrics.CounterName;

/** Counters of a node's data plane, from the start of the process. */
public enum TransferCounter implements CounterName {
  CONNECTIONS_ACCEPTED("connections accepted"),
  CLOSED_MALFORMED("connections closed for bytes that are no frame"),
  CLOSED_PROTOCOL("connections closed for a frame that has no place there"),
  CLOSED_IO_ERROR("connections closed by an I/O error"),
  CLOSED_STALLED("connections closed because the peer took up too little"),
  CLOSED_HALF_FRAME("connections closed because a frame was begun and not ended"),
  CLOSED_SILENT("connections closed because the peer sent no frame at all"),
  CLOSED_IDLE("connections closed because nothing went on there any more"),
  CONNECTIONS_REFUSED("connections refused because there were too many"),
  PIPELINES_OPENED("pipeline stages opened"),
  PIPELINES_FINISHED("pipeline stages finished in order"),
  PIPELINES_FAILED("pipeline stages failed here or downstream"),
  PIPELINES_ABANDONED("pipeline stages given up because upstream went away"),
  TICKETS_REFUSED("pipeline stages refused as the writer had no ticket for them"),
  PROOFS_REFUSED("questions refused that only nodes may ask"),
  BYTES_WRITTEN("bytes written for pipelines"),
  WRITE_BACKLOG_BYTES("bytes of packets of all pipelines that wait for the disks"),
  SUMMED_CHUNKS("chunks of packets and copies compared with their checksums"),
  CORRUPT_PACKETS("packets that did not match their checksums"),
  READS("block reads served"),
  READS_FAILED("block reads refused or failed"),
  BYTES_READ("bytes sent to readers"),
  REPLICA_REQUESTS("questions about replicas answered"),
  DOUBTS_TAKEN("blocks that somebody found damaged, or that did not verify for a question"),
  DOUBTS_DROPPED("such blocks that were not looked at, as too many waited"),
  GROUPS_VERIFIED("groups read back for recovery and for other nodes' repair"),
  GROUPS_COPIED("groups copied from other nodes for recovery"),
  BYTES_COPIED("bytes copied from other nodes for recovery and repair");

  private final String label;

  TransferCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean isLevel() {
    return this == WRITE_BACKLOG_BYTES;
  }
}
