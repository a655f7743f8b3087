package io.vdfs.datanode.meta.raft.lease;

import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.GroupMemberSettings.Tuning;
import org.apache.ratis.server.RaftServerConfigKeys.Read;

/**
 * The guards that keep a member from answering reads from the past.
 *
 * @param ratis what Ratis does before it has a read answered
 * @param lease must hold after a read before its answer is let out
 */
public record ReadGuards(Read.Option ratis, QuorumLease lease) {
  public static ReadGuards of(GroupMemberSettings settings) {
    Tuning tuning = settings.tuning();
    return new ReadGuards(
        Read.Option.LINEARIZABLE,
        new QuorumLease(
            tuning.electionTimeoutMin(), tuning.electionTimeoutMax(), System::nanoTime));
  }
}
