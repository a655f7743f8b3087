package io.vdfs.datanode.meta.group;

import io.vdfs.common.model.NodeId;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Asks other members of the group about themselves. Thread-safe. */
@FunctionalInterface
public interface PeerLogs {
  /**
   * The present status of the node's member, by an answer that it gives after this call.
   *
   * @return never fails and completes in bounded time; empty where the node does not answer or
   *     hosts no member of the group
   */
  CompletableFuture<Optional<GroupStatus>> ask(UUID group, NodeId member);
}
