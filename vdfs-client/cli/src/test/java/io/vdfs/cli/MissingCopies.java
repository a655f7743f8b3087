package io.vdfs.cli;

import io.vdfs.client.fake.FakeCluster;
import io.vdfs.common.wire.proto.RepairReportResult;

/** A leader's report of missing copies. */
public final class MissingCopies {
  private MissingCopies() {}

  /**
   * Copies that the second node lacks while the third one is away.
   *
   * @param joining places of arcs for which blocks are copied
   */
  public static RepairReportResult.Builder of(FakeCluster cluster, int copies, int joining) {
    return RepairReportResult.newBuilder()
        .setRingEpoch(7)
        .setGroupsLacking(copies)
        .setBytesLacking(copies * 100_000_000L)
        .setGroupsWithOneCopy(copies / 2)
        .setJoiningPlaces(joining)
        .addNodes(cluster.nodeState(0))
        .addNodes(cluster.nodeState(1).setGroupsLacking(copies).setConfirmed(false))
        .addNodes(
            cluster
                .nodeState(2)
                .setLive(false)
                .setConfirmed(false)
                .setMissingMillis(61_000)
                .setReplacedInMillis(539_000));
  }
}
