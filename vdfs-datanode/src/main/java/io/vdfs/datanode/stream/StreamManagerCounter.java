package io.vdfs.datanode.stream;

import io.vdfs.common.metrics.CounterName;

/** Counters of a node's stream manager, over all volumes from the start of the process. */
public enum StreamManagerCounter implements CounterName {
  REQUESTS("ranges asked for"),
  REQUEST_BYTES("bytes asked for"),
  WAITING("ranges waiting for the disk"),
  REFUSED("ranges refused because too many waited"),
  CANCELLED("ranges whose reader went away"),
  FAILED("ranges that could not be read"),
  WAIT_MILLIS("milliseconds that ranges waited for the disk"),
  MEMORY_HITS("ranges that were in memory already"),
  MEMORY_HIT_BYTES("bytes asked for that were in memory already"),
  SHARED_SCAN_HITS("ranges that came with what another reader had asked for"),
  SHARED_SCAN_BYTES("bytes that came with what another reader had asked for"),
  GRANTS("runs of the node's blocks granted to tasks on it"),
  GRANTS_UNREAD("runs granted that the disk was not asked for at once as many such waited"),
  GRANTED_BLOCKS("blocks of the node granted to tasks on it"),
  SHARED_GRANTS("runs granted because memory had them or was about to"),
  SHARED_GRANT_BLOCKS("blocks granted because memory had them or was about to"),
  TASK_WAIT_MILLIS("milliseconds that tasks on the node told they waited for their runs"),
  BLOCK_HEAD_HITS("ranges found in the kept head of a block"),
  SMALL_READS("small random ranges read between runs"),
  DISK_READS("reads of disks"),
  DISK_BYTES("bytes read from disks"),
  DISCONTINUITIES("reads that did not go on where the volume's last one ended"),
  RUNS_BELOW_1M("runs shorter than 1 MiB"),
  RUNS_1M_TO_8M("runs of 1 to 8 MiB"),
  RUNS_8M_TO_32M("runs of 8 to 32 MiB"),
  RUNS_FROM_32M("runs of 32 MiB and more"),
  READ_AHEAD_BYTES("bytes read before anybody asked for them"),
  READ_AHEAD_TAKEN("bytes read ahead and then asked for"),
  READ_AHEAD_WASTED("bytes read ahead and given up"),
  READ_AHEAD_UNTAKEN("bytes read ahead that nobody asked for yet");

  private final String label;

  StreamManagerCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean isLevel() {
    return this == WAITING || this == READ_AHEAD_UNTAKEN;
  }
}
