package io.vdfs.client.io;

import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaFailures;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.concurrent.Interrupts;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.ReplicaCalls;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

/** Asks replicas of a group one small question each, in order, until one answer will do. */
public final class ReplicaCall {
  private final ClientIo io;
  private final ReplicaCalls calls;

  public ReplicaCall(ClientIo io) {
    this.io = io;
    this.calls = new ReplicaCalls(io.connections(), io.settings().readTimeout());
  }

  /**
   * @param nodes to ask, in this order
   * @param question the operation; file, group and addressee are filled in here
   * @param check refuses an answer that cannot be right, so that the next replica is asked
   * @throws VdfsException UNAVAILABLE or CORRUPT naming all replicas asked and why they failed
   */
  public ReplicaResponse first(
      List<ReplicaNode> nodes, FileView view, int group, ReplicaRequest question, Check check)
      throws IOException {
    return longest(nodes, view, group, question, check, answer -> true);
  }

  /**
   * As {@link #first}, but goes on until an answer is certain; if none is, it is the one with the
   * greatest length. Nodes that failed recently or are known to be down are asked only while there
   * is no answer.
   *
   * @param certain whether no other node need be asked
   */
  public ReplicaResponse longest(
      List<ReplicaNode> nodes,
      FileView view,
      int group,
      ReplicaRequest question,
      Check check,
      Predicate<ReplicaResponse> certain)
      throws IOException {
    ReplicaFailures failures = new ReplicaFailures();
    List<ReplicaResponse> answers = new ArrayList<>();
    for (ReplicaNode node : nodes) {
      if (!answers.isEmpty() && (!node.live() || io.health().isSuspect(node.id()))) {
        continue;
      }
      try {
        ReplicaResponse response = ask(node, view, group, question);
        check.accept(response);
        if (certain.test(response)) {
          return response;
        }
        answers.add(response);
      } catch (VdfsException e) {
        failures.add(node, e);
      }
    }
    if (!answers.isEmpty()) {
      return Collections.max(answers, Comparator.comparingLong(ReplicaResponse::getLength));
    }
    throw failures.asException(
        "file=" + view.file() + ", group=" + group + ", question=" + question.getOpCase());
  }

  private ReplicaResponse ask(ReplicaNode node, FileView view, int group, ReplicaRequest question)
      throws IOException {
    ReplicaRequest request =
        question.toBuilder()
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(node.id()))
            .setFile(WireIds.encode(view.file()))
            .setGroup(group)
            .build();
    try {
      return calls.call(node.address(), request).get();
    } catch (ExecutionException e) {
      VdfsException failure = Causes.asVdfs(e);
      if (failure.code() == ErrorCode.UNAVAILABLE) {
        io.health().failed(node.id());
      }
      throw failure;
    } catch (InterruptedException e) {
      throw Interrupts.during("asking a replica: node=" + node, e);
    }
  }

  /** Looks at an answer. */
  @FunctionalInterface
  public interface Check {
    void accept(ReplicaResponse response) throws VdfsException;
  }
}
