package io.vdfs.cli.report;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetadataMemberProto;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What the nodes report of their metadata members at one moment. Immutable.
 *
 * @param members by the newest configuration that a member knows, the leader's where there is one;
 *     if none answers, as the cluster last published them
 * @param leaving members that a change under way removes
 * @param answers of all nodes that host or hosted a member
 * @param releases of all nodes that answer
 * @param silent members that do not answer, and why
 * @param starting nodes that were started recently and have known no leader since
 */
record MetadataMembers(
    List<NodeId> members,
    List<NodeId> leaving,
    Map<NodeId, MetadataStatusResponse> answers,
    Map<NodeId, Release> releases,
    Map<NodeId, String> silent,
    Set<NodeId> starting) {
  private static final String LEADER = "LEADER";

  /**
   * What a node runs.
   *
   * @param level the highest feature level that it can carry out
   * @param stopped why its metadata member has ended by itself; empty where it has not
   */
  record Release(BuildVersion build, int level, String stopped) {
    static Release of(MetadataStatusResponse status) {
      return new Release(
          new BuildVersion(status.getVersion(), status.getCommit()),
          status.getNewestLevel(),
          status.getStopped());
    }
  }

  /** Asks all members and all live nodes. */
  static MetadataMembers ask(VdfsClient client, ClusterDescription cluster) throws IOException {
    Map<NodeId, MetadataStatusResponse> answers = new LinkedHashMap<>();
    Map<NodeId, Release> releases = new LinkedHashMap<>();
    Map<NodeId, String> failures = new LinkedHashMap<>();
    Set<NodeId> starting = new HashSet<>();
    for (RingNode node : cluster.ring().nodes().values()) {
      if (!cluster.live().contains(node.id()) && !cluster.metadataMembers().contains(node.id())) {
        continue;
      }
      try {
        MetadataStatusResponse status = client.nodes().metadataStatus(node);
        releases.put(node.id(), Release.of(status));
        if (status.getStarting()) {
          starting.add(node.id());
        }
        if (status.getMember()) {
          answers.put(node.id(), status);
        } else {
          failures.put(
              node.id(), status.getStopped().isEmpty() ? "hosts no metadata" : status.getStopped());
        }
      } catch (IOException e) {
        failures.put(node.id(), e.getMessage());
      }
    }
    Optional<MetadataStatusResponse> best =
        answers.values().stream()
            .max(
                Comparator.comparing((MetadataStatusResponse status) -> isLeader(status))
                    .thenComparingLong(MetadataStatusResponse::getTerm)
                    .thenComparingLong(MetadataStatusResponse::getConfigurationIndex));
    List<NodeId> members =
        best.isPresent() ? ids(best.get().getMembersList()) : cluster.metadataMembers();
    List<NodeId> leaving = best.isPresent() ? ids(best.get().getLeavingList()) : List.of();
    failures.keySet().removeIf(node -> !members.contains(node) && !leaving.contains(node));
    return new MetadataMembers(members, leaving, answers, releases, failures, starting);
  }

  static boolean isLeader(MetadataStatusResponse status) {
    return status.getRole().equals(LEADER);
  }

  private static List<NodeId> ids(List<MetadataMemberProto> members) throws VdfsException {
    List<NodeId> ids = new ArrayList<>();
    for (MetadataMemberProto member : members) {
      ids.add(WireIds.nodeId(member.getId()));
    }
    return ids;
  }

  /**
   * The leader; where an old one does not know yet that it is replaced, the one of the newest term.
   */
  Optional<NodeId> leader() {
    return answers.entrySet().stream()
        .filter(answer -> isLeader(answer.getValue()))
        .max(Map.Entry.comparingByValue(Comparator.comparingLong(MetadataStatusResponse::getTerm)))
        .map(Map.Entry::getKey);
  }

  /** The feature level in force; empty if no member reports it. */
  OptionalInt level() {
    return answers.values().stream().mapToInt(MetadataStatusResponse::getLevel).max();
  }

  /** Members that answer. */
  long answering() {
    return members.stream().filter(answers::containsKey).count();
  }

  /** Members that do not answer. */
  List<NodeId> missing() {
    return members.stream().filter(member -> !answers.containsKey(member)).toList();
  }

  /** Whether the members that run wait for the others since they were started. */
  boolean isStarting() {
    return !starting.isEmpty() && starting.containsAll(answers.keySet());
  }

  boolean hasMajority() {
    return answering() > members.size() / 2;
  }

  /** Sound where all members answer, failed where no majority does. */
  int exitCode() {
    if (!hasMajority()) {
      return ExitCodes.FAILED;
    }
    return answering() == members.size() && leader().isPresent()
        ? ExitCodes.SOUND
        : ExitCodes.DEGRADED;
  }

  long newestEntry() {
    return answers.values().stream()
        .mapToLong(MetadataStatusResponse::getLastIndex)
        .max()
        .orElse(0);
  }
}
