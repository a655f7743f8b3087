package io.vdfs.datanode.meta.group;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import java.util.List;
import java.util.function.Predicate;

/**
 * The members of a group, as one of them has them from Raft's log: the truth as soon as the entry
 * is committed. Immutable.
 *
 * @param index of the log entry; -1 where the member has none yet
 * @param members after the change that the entry is part of, or since then
 * @param previous members before that change; empty unless it is under way: until then a majority
 *     of both is needed
 */
public record GroupConfiguration(
    long index, List<MetadataMember> members, List<MetadataMember> previous) {
  public GroupConfiguration {
    members = List.copyOf(members);
    previous = List.copyOf(previous);
  }

  /** The version, as in ZooKeeper: grows with each configuration, 0 before the first. */
  public long version() {
    return index + 1;
  }

  /** Whether no change is under way. */
  public boolean isStable() {
    return previous.isEmpty();
  }

  /** Whether the node has a vote. */
  public boolean hasMember(NodeId node) {
    return contains(members, node) || contains(previous, node);
  }

  /** Members that the change under way removes. */
  public List<MetadataMember> leaving() {
    return previous.stream().filter(member -> !contains(members, member.id())).toList();
  }

  /** Whether the members for which {@code predicate} holds decide by themselves. */
  public boolean isMajority(Predicate<NodeId> predicate) {
    return isMajority(members, predicate) && (isStable() || isMajority(previous, predicate));
  }

  private static boolean isMajority(List<MetadataMember> voters, Predicate<NodeId> predicate) {
    long count = voters.stream().map(MetadataMember::id).filter(predicate).count();
    return count > voters.size() / 2;
  }

  private static boolean contains(List<MetadataMember> list, NodeId node) {
    return list.stream().anyMatch(member -> member.id().equals(node));
  }
}
