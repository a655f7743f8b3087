package io.vdfs.datanode.meta.raft;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import java.util.Collection;
import java.util.List;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftConfiguration;

/**
 * Translates what Ratis has in its log of a group's members into the terms of the rest of the
 * daemon.
 */
final class RatisConfiguration {
  private RatisConfiguration() {}

  static GroupConfiguration read(RaftConfiguration raft) {
    return new GroupConfiguration(
        raft.getLogEntryIndex(), members(raft.getCurrentPeers()), members(raft.getPreviousPeers()));
  }

  private static List<MetadataMember> members(Collection<RaftPeer> peers) {
    return peers.stream().map(RatisConfiguration::member).toList();
  }

  private static MetadataMember member(RaftPeer peer) {
    String address = peer.getAddress();
    int colon = address.lastIndexOf(':');
    String host = address.substring(0, colon);
    boolean bracketed = host.startsWith("[") && host.endsWith("]");
    return new MetadataMember(
        NodeId.parse(peer.getId().toString()),
        bracketed ? host.substring(1, host.length() - 1) : host,
        Integer.parseInt(address.substring(colon + 1)));
  }
}
