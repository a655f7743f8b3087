package io.vdfs.datanode.meta.raft;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.RecoverLeaseCall;
import io.vdfs.common.wire.proto.RenewLeaseCall;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * A client that does one thing after the other to few paths, writes a file now and then, and sends
 * what is not answered again with the same call id.
 */
final class SimulatedClient {
  private static final Duration PATIENCE = Duration.ofMillis(400);

  private final SimulatedGroup group;
  private final SimulatedTime time;
  private final MetadataHarness requests = new MetadataHarness();
  private final ByteString id;
  private final int holder;
  private int stepsLeft;
  private long calls;
  private Optional<OpenFile> open = Optional.empty();

  /** A file this client writes. */
  private record OpenFile(StatusProto status, long written) {}

  SimulatedClient(SimulatedGroup group, int number, int steps) {
    this.group = group;
    this.time = group.time();
    this.holder = number;
    this.id = MetadataHarness.id(number);
    this.stepsLeft = steps;
    time.within(100, this::step);
    renew();
  }

  boolean isDone() {
    return stepsLeft == 0;
  }

  private void renew() {
    if (!isDone() && open.isPresent() && !time.chance(4)) {
      send(
          MetaRequest.newBuilder()
              .setRenewLease(RenewLeaseCall.newBuilder().setHolder(MetadataHarness.id(holder)))
              .build(),
          answer -> {});
    }
    if (!isDone()) {
      time.after(Duration.ofMillis(700), this::renew);
    }
  }

  private String path() {
    StringBuilder path = new StringBuilder();
    for (int depth = 1 + time.random.nextInt(3); depth > 0; depth--) {
      path.append('/').append((char) ('a' + time.random.nextInt(3)));
    }
    return path.toString();
  }

  private void step() {
    if (stepsLeft == 0) {
      return;
    }
    stepsLeft--;
    if (open.isPresent()) {
      goOnWriting(open.get());
    } else {
      act();
    }
  }

  private void next() {
    time.within(30, this::step);
  }

  private void act() {
    boolean flag = time.random.nextBoolean();
    switch (time.random.nextInt(10)) {
      case 0, 1 ->
          change(
              requests
                  .request()
                  .setMkdirs(
                      MkdirsOp.newBuilder().setPath(path()).setMode(0755).setCreateParents(true)));
      case 2, 3, 4 -> {
        MetaRequest.Builder create = requests.create(path(), 0644, holder, flag);
        create.getCreateBuilder().setCreateParents(true);
        change(create);
      }
      case 5 -> change(requests.append(path(), holder));
      case 6, 7 -> change(requests.rename(path(), path(), flag));
      case 8 -> change(requests.delete(path(), flag));
      default -> ask();
    }
  }

  private void ask() {
    String path = path();
    MetaRequest request =
        time.chance(4)
            ? requests
                .request()
                .setRecoverLease(RecoverLeaseCall.newBuilder().setPath(path))
                .build()
            : requests.getStatus(path).build();
    send(request, answer -> next());
  }

  /** Carries out a mutation; the oracle has the last word on its answer. */
  private void change(MetaRequest.Builder builder) {
    calls++;
    MetaRequest request =
        builder.setCallId(CallIdProto.newBuilder().setClientId(id).setCall(calls)).build();
    send(
        request,
        answer -> {
          group.oracle().onAnswer(request, answer);
          if (answer.hasOpenFile()) {
            StatusProto status = answer.getOpenFile().getStatus();
            open = Optional.of(new OpenFile(status, status.getLength()));
          } else if (request.hasComplete()) {
            open = Optional.empty();
          }
          next();
        });
  }

  private void goOnWriting(OpenFile file) {
    switch (time.random.nextInt(8)) {
      case 0, 1, 2 -> write(file);
      case 3 -> {
        open = Optional.empty(); // dies over it and begins anew
        next();
      }
      case 4 -> ask();
      default -> complete(file);
    }
  }

  /** Writes on to the end of the group at most. */
  private void write(OpenFile file) {
    int at = MetadataHarness.GEOMETRY.groupAt(file.written());
    long inGroup = file.written() - at * MetadataHarness.GROUP;
    long length = Math.min(MetadataHarness.GROUP, inGroup + 1 + time.random.nextInt(3_000));
    boolean taken =
        group
            .stores()
            .write(nodes(file, at), file.status(), at, length, length < MetadataHarness.GROUP);
    open =
        taken
            ? Optional.of(new OpenFile(file.status(), at * MetadataHarness.GROUP + length))
            : Optional.empty();
    next();
  }

  /** The nodes that are not known to lack the group. */
  private Set<NodeId> nodes(OpenFile file, int at) {
    Set<NodeId> nodes = new TreeSet<>(group.nodes());
    file.status().getExclusionsList().stream()
        .filter(range -> range.getFirstGroup() <= at)
        .filter(range -> Integer.compareUnsigned(at, range.getEndGroup()) < 0)
        .forEach(range -> WireIds.nodeIdIfSet(range.getNode()).ifPresent(nodes::remove));
    return nodes;
  }

  private void complete(OpenFile file) {
    CompleteOp.Builder op =
        CompleteOp.newBuilder()
            .setFile(MetadataHarness.key(file.status().getInodeId()))
            .setHolder(MetadataHarness.id(holder))
            .setWriteEpoch(file.status().getWriteEpoch())
            .setLength(file.written());
    if (file.written() > file.status().getLength()) {
      int groups = MetadataHarness.GEOMETRY.groupCount(file.written());
      for (int at = MetadataHarness.GEOMETRY.groupAt(file.status().getLength());
          at < groups;
          at++) {
        GroupSyncProto.Builder synced = GroupSyncProto.newBuilder().setGroup(at);
        nodes(file, at).forEach(node -> synced.addNodes(WireIds.encode(node)));
        op.addSynced(synced);
      }
    }
    change(requests.request().setComplete(op));
  }

  /** Sends a request until it is answered. */
  private void send(MetaRequest request, Consumer<MetaResponse> onAnswer) {
    boolean[] answered = new boolean[1];
    attempt(request, answered, onAnswer);
  }

  private void attempt(MetaRequest request, boolean[] answered, Consumer<MetaResponse> onAnswer) {
    if (answered[0]) {
      return;
    }
    NodeId believed =
        time.chance(10)
            ? group.nodes().get(time.random.nextInt(group.nodes().size()))
            : group.leader().map(leader -> leader.id).orElse(group.nodes().get(0));
    var unused =
        group
            .send(believed, request, MetadataHarness.ROOT)
            .thenAccept(
                answer -> {
                  if (!answered[0] && !isUndecided(answer)) {
                    answered[0] = true;
                    onAnswer.accept(answer);
                  }
                });
    time.after(PATIENCE, () -> attempt(request, answered, onAnswer));
  }

  private static boolean isUndecided(MetaResponse answer) {
    String code = answer.getError().getCode();
    return code.equals(ErrorCode.NOT_LEADER.name()) || code.equals(ErrorCode.UNAVAILABLE.name());
  }
}
