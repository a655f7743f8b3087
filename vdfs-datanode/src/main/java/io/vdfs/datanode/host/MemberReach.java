package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetadataStatusRequest;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.PeerLogs;
import io.vdfs.datanode.meta.group.PeerReach;
import io.vdfs.datanode.rpc.MemberStatus;
import io.vdfs.datanode.rpc.MetadataAddresses;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Asks the members of the metadata group at their control ports. Thread-safe. */
public final class MemberReach implements PeerReach, PeerLogs, AutoCloseable {
  private static final Duration VALID = Duration.ofSeconds(2);
  private static final int MAX_THREADS = 16;

  private final NodeId self;
  private final MetadataAddresses addresses;
  private final ControlClient client;
  private final Map<NodeId, Finding> findings = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          MAX_THREADS,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          DaemonThreads.named("vdfs-member-reach"));

  private enum Answer {
    ANSWERING("answering"),
    HOSTING_NONE("answering, but without its metadata"),
    SILENT("not answering"),
    NOT_ASKED("not asked yet");

    private final String words;

    Answer(String words) {
      this.words = words;
    }
  }

  /**
   * @param since when it was found out, by {@link System#nanoTime}
   * @param asking whether it is being found out again
   */
  private record Finding(Answer answer, long since, boolean asking) {}

  public MemberReach(NodeId self, MetadataAddresses addresses, ControlClient client) {
    this.self = self;
    this.addresses = addresses;
    this.client = client;
  }

  @Override
  public String describe(List<MetadataMember> members) {
    Map<Answer, List<String>> words = new TreeMap<>();
    for (MetadataMember member : members) {
      Answer answer = member.id().equals(self) ? Answer.ANSWERING : find(member.id());
      words
          .computeIfAbsent(answer, key -> new ArrayList<>())
          .add(member.host() + " (" + member.id() + ")");
    }
    List<String> parts = new ArrayList<>();
    words.forEach((answer, names) -> parts.add(answer.words + "=" + names));
    return String.join(", ", parts);
  }

  private Answer find(NodeId node) {
    long now = System.nanoTime();
    Finding before =
        findings.compute(
            node,
            (id, known) -> {
              if (known == null) {
                return new Finding(Answer.NOT_ASKED, now, false);
              }
              return known;
            });
    boolean old = before.answer == Answer.NOT_ASKED || now - before.since > VALID.toNanos();
    if (old
        && !before.asking
        && findings.replace(node, before, new Finding(before.answer, before.since, true))) {
      ask(node, before);
    }
    return before.answer;
  }

  private void ask(NodeId node, Finding before) {
    try {
      threads.execute(
          () -> findings.put(node, new Finding(answer(node), System.nanoTime(), false)));
    } catch (RejectedExecutionException e) {
      findings.put(node, before); // busy or closed: a later call asks again
    }
  }

  private Answer answer(NodeId node) {
    return status(node)
        .map(status -> status.getMember() ? Answer.ANSWERING : Answer.HOSTING_NONE)
        .orElse(Answer.SILENT);
  }

  private Optional<MetadataStatusResponse> status(NodeId node) {
    Optional<InetSocketAddress> address = addresses.controlAddress(node);
    if (address.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          client.call(
              address.get(),
              ControlMethods.METADATA_STATUS,
              MetadataStatusRequest.getDefaultInstance(),
              MetadataStatusResponse.parser()));
    } catch (VdfsException e) {
      return Optional.empty();
    }
  }

  @Override
  public CompletableFuture<Optional<GroupStatus>> ask(UUID group, NodeId member) {
    try {
      return CompletableFuture.supplyAsync(
          () ->
              status(member)
                  .filter(status -> status.getGroupId().equals(WireIds.encode(group)))
                  .flatMap(MemberStatus::decode),
          threads);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.completedFuture(Optional.empty()); // busy or closed
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
