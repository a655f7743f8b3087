package io.vdfs.datanode.meta.group;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RaiseLevelOp;
import java.time.Clock;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Raises the feature level of the group, from the member that leads it, to what all members can
 * carry out. Confined to one thread.
 */
public final class LevelRaiser {
  private static final Logger LOG = LoggerFactory.getLogger(LevelRaiser.class);

  private final Question question;
  private final CallerProto caller;
  private final Clock clock;

  /** Asks other members. */
  @FunctionalInterface
  public interface Question {
    /** The highest level that a node's member can carry out; empty where it does not answer. */
    OptionalInt newestLevel(NodeId member);
  }

  /**
   * @param caller in whose name the level is raised: the daemon, a superuser
   */
  public LevelRaiser(Question question, CallerProto caller, Clock clock) {
    this.question = question;
    this.caller = caller;
    this.clock = clock;
  }

  /**
   * Looks once, and raises the level if all members can.
   *
   * @return whether there is something to raise now or later: members that cannot yet, do not
   *     answer or are being changed
   */
  public boolean look(GroupMember member) {
    if (!member.isLeader() || member.level() >= member.newestLevel()) {
      return false;
    }
    GroupStatus status = member.status();
    if (!status.isSettled()) {
      return true;
    }
    int reachable = common(member, status.configuration());
    if (reachable > member.level()) {
      raise(member, reachable);
    }
    return true;
  }

  /** The level that all can carry out; 0 while it is not known. */
  private int common(GroupMember member, GroupConfiguration configuration) {
    List<NodeId> members =
        Stream.concat(configuration.members().stream(), configuration.leaving().stream())
            .map(MetadataMember::id)
            .toList();
    int level = member.newestLevel();
    for (NodeId other : members) {
      level = Math.min(level, question.newestLevel(other).orElse(0));
    }
    return level;
  }

  private void raise(GroupMember member, int level) {
    LOG.info("Raising the feature level: inForce={}, level={}", member.level(), level);
    CompletableFuture<MetaResponse> answer =
        member.submit(
            MetaRequest.newBuilder()
                .setCaller(caller)
                .setTimeMillis(clock.millis())
                .setRaiseLevel(RaiseLevelOp.newBuilder().setLevel(level))
                .build());
    MetaResponse response = answer.join();
    if (response.hasError()) {
      LOG.warn(
          "Feature level not raised, tried again later: level={}, error={}",
          level,
          response.getError().getMessage());
    } else {
      LOG.info("Feature level raised: level={}", level);
    }
  }
}
