package io.vdfs.client.meta;

import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.client.meta.retry.RetryClock;
import io.vdfs.client.meta.retry.RetryPolicy;
import io.vdfs.client.meta.retry.RetryTimer;
import io.vdfs.client.meta.retry.TransportErrors;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.OperationCounters;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.common.wire.proto.MetaResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/**
 * Sends metadata requests to whichever node leads, and goes on through changes of leader, dead
 * nodes and old knowledge until the answer is there or the time is up. No node is asked after that,
 * so the time is exceeded by no more than what one call may take. All attempts of a request carry
 * the same call id, so that a mutation happens once however often it was sent; one whose first
 * outcome may be forgotten ends as OUTCOME_UNKNOWN.
 *
 * <p>Thread-safe; each call runs on its caller's thread.
 */
public final class MetadataClient implements MetadataCalls {
  private static final String COUNTERS = "metadata";

  private final ClusterAccess cluster;
  private final ControlCalls calls;
  private final RetryPolicy policy;
  private final RetryClock clock;
  private final RandomGenerator random;
  private final MutationIds callIds;
  private final OperationCounters<OpCase, CallCounter> counters =
      new OperationCounters<>(OpCase.class, CallCounter.class);
  private volatile NodeId lastLeader;

  /**
   * @param clientId random; one value per client process and cluster user
   */
  public MetadataClient(
      ClusterAccess cluster,
      ControlCalls calls,
      RetryPolicy policy,
      RetryClock clock,
      RandomGenerator random,
      UUID clientId) {
    this.cluster = cluster;
    this.calls = calls;
    this.policy = policy;
    this.clock = clock;
    this.random = random;
    this.callIds = new MutationIds(clientId);
  }

  @Override
  public Map<String, Long> counters() {
    Map<String, Long> values = new LinkedHashMap<>();
    counters
        .read(COUNTERS)
        .forEach(metric -> values.put(COUNTERS + "_" + metric.name(), metric.value()));
    return values;
  }

  @Override
  public MetaResponse call(MetaRequest request) throws IOException {
    OpCase operation = request.getOpCase();
    long start = clock.nanoTime();
    boolean answered = false;
    try {
      MetaResponse response = carryOut(request);
      answered = true;
      return response;
    } finally {
      counters.increment(operation, CallCounter.CALLS);
      counters.add(
          operation, CallCounter.MICROS, TimeUnit.NANOSECONDS.toMicros(clock.nanoTime() - start));
      counters.add(operation, CallCounter.FAILED, answered ? 0 : 1);
    }
  }

  private MetaResponse carryOut(MetaRequest request) throws IOException {
    CallTries tries = new CallTries(request.toBuilder().setCallId(callIds.next()).build(), clock);
    RetryTimer timer = new RetryTimer(policy, clock, random);
    LeaderSearch search = new LeaderSearch(cluster.current(timer.left()), lastLeader, random);
    while (true) {
      NodeId node = timer.isOver() ? null : search.next();
      if (node == null) {
        pause(request, timer, search);
        search.restart(cluster.refresh(search.snapshot(), timer.left()));
        continue;
      }
      MetaResponse response = attempt(search, node, tries.next());
      if (response == null) {
        counters.increment(request.getOpCase(), CallCounter.RETRIES);
        continue;
      }
      if (!response.hasError()) {
        lastLeader = node;
        return response;
      }
      VdfsException refused = WireIds.exception(response.getError());
      if (!isRetried(refused.code())) {
        lastLeader = node;
        throw refused;
      }
      counters.increment(
          request.getOpCase(),
          refused.code() == ErrorCode.NOT_LEADER ? CallCounter.REDIRECTS : CallCounter.RETRIES);
      search.refused(node, refused, Errors.leader(response.getError()));
    }
  }

  /** Null: the node failed, which the search has noted. */
  private MetaResponse attempt(LeaderSearch search, NodeId node, byte[] body) throws IOException {
    try {
      return MetaResponse.parseFrom(calls.call(search.address(node), ControlMethods.META, body));
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.INTERNAL, "answer can't be read: node=" + search.address(node), e);
    } catch (IOException e) {
      TransportErrors.rethrowFinal(e);
      search.failed(node, e);
      return null;
    }
  }

  private static boolean isRetried(ErrorCode code) {
    return code == ErrorCode.NOT_LEADER
        || code == ErrorCode.UNAVAILABLE
        || code == ErrorCode.STALE_RING;
  }

  private void pause(MetaRequest request, RetryTimer timer, LeaderSearch search)
      throws IOException {
    if (!timer.pause()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          ("no metadata leader answered within %s s: operation=%s, %s; check that a majority"
                  + " of the metadata nodes runs")
              .formatted(policy.total().toSeconds(), request.getOpCase(), search.attempts()),
          search.attempts().lastCause());
    }
  }
}
