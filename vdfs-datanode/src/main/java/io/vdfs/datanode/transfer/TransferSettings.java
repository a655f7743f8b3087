package io.vdfs.datanode.transfer;

import java.time.Duration;

/**
 * Limits of a node's data plane. Immutable.
 *
 * @param hopLimit silence after which the next node of a pipeline counts as failed if it is the
 *     last one
 * @param hopStep what is added for each node behind that; limits fall along the chain, so that the
 *     node next to the culprit is the first to notice
 * @param readStall how long a peer may take up nothing of what is sent to it
 * @param diskThreads threads for writes and replica requests, and as many others for reads
 * @param pipelineBacklog bytes of a pipeline that may wait for the disk before its connection is
 *     not read any more
 * @param writeBudget bytes of packets that wait for the disks, of all pipelines together, above
 *     which each may have no more than a packet of full size
 * @param readBudget bytes of answers held in memory for all readers together
 * @param maxStreams streams that one connection may have open
 * @param peers what one peer, one host and all together may take
 */
public record TransferSettings(
    Duration hopLimit,
    Duration hopStep,
    Duration readStall,
    int diskThreads,
    int pipelineBacklog,
    long writeBudget,
    long readBudget,
    int maxStreams,
    PeerLimits peers) {
  public static final TransferSettings DEFAULT =
      new TransferSettings(
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          Duration.ofSeconds(60),
          16,
          4 << 20,
          512L << 20,
          256L << 20,
          1024,
          PeerLimits.DEFAULT);

  public TransferSettings {
    long least = Math.min(Math.min(pipelineBacklog, writeBudget), readBudget);
    if (diskThreads < 1 || maxStreams < 1 || least < 1) {
      throw new IllegalArgumentException(
          ("limits must be positive: diskThreads=%s, pipelineBacklog=%s, writeBudget=%s,"
                  + " readBudget=%s, maxStreams=%s")
              .formatted(diskThreads, pipelineBacklog, writeBudget, readBudget, maxStreams));
    }
  }

  /** The same with other limits of peers. */
  public TransferSettings with(PeerLimits limits) {
    return with(writeBudget, limits);
  }

  /** The same with no more bytes for all pipelines together than these. */
  public TransferSettings withWriteBudget(long most) {
    return with(Math.min(writeBudget, most), peers);
  }

  private TransferSettings with(long budgetOfWriters, PeerLimits limits) {
    return new TransferSettings(
        hopLimit,
        hopStep,
        readStall,
        diskThreads,
        pipelineBacklog,
        budgetOfWriters,
        readBudget,
        maxStreams,
        limits);
  }

  /** How long the next node may be silent that has {@code behind} nodes behind it. */
  public Duration limitFor(int behind) {
    return hopLimit.plus(hopStep.multipliedBy(behind));
  }
}
