package io.vdfs.datanode.rpc.request;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.datanode.rpc.RpcFixture;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class RequestMeterTest {
  private static final MetaRequest MKDIRS =
      MetaRequest.newBuilder().setMkdirs(MkdirsOp.newBuilder().setPath("/a")).build();
  private static final MetaRequest STATUS =
      MetaRequest.newBuilder().setGetStatus(GetStatusQuery.newBuilder().setPath("/a")).build();

  private final RpcFixture fixture = new RpcFixture();

  private long count(OpCase operation, RequestCounter counter) {
    return fixture.meter.get(operation, counter);
  }

  private void dispatch(MetaRequest request) {
    fixture.dispatcher.dispatch(request, CallerProto.newBuilder().setUser("ann").build()).join();
  }

  @Test
  void shouldCountWhatBecomesOfEachOperation() {
    dispatch(MKDIRS);
    dispatch(STATUS);
    fixture.member.response = Errors.response(ErrorCode.NOT_FOUND, "not there");
    dispatch(STATUS);
    fixture.member.response = Errors.response(ErrorCode.UNAVAILABLE, "no majority");
    dispatch(MKDIRS);
    fixture.member.leading = false;
    dispatch(MKDIRS);

    assertEquals(3, count(OpCase.MKDIRS, RequestCounter.REQUESTS));
    assertEquals(1, count(OpCase.MKDIRS, RequestCounter.UNAVAILABLE));
    assertEquals(1, count(OpCase.MKDIRS, RequestCounter.REDIRECTED));
    assertEquals(0, count(OpCase.MKDIRS, RequestCounter.REFUSED));
    assertEquals(2, count(OpCase.GET_STATUS, RequestCounter.REQUESTS));
    assertEquals(1, count(OpCase.GET_STATUS, RequestCounter.REFUSED));
    assertEquals(0, count(OpCase.DELETE, RequestCounter.REQUESTS));
  }

  @Test
  void shouldMeasureTheTimeToTheAnswer() {
    AtomicLong now = new AtomicLong();
    RequestMeter meter = new RequestMeter(now::get);
    CompletableFuture<MetaResponse> answer = new CompletableFuture<>();
    CompletableFuture<MetaResponse> measured = meter.measured(MKDIRS, meter.start(), answer);
    now.addAndGet(Duration.ofMillis(120).toNanos());
    assertEquals(0, meter.get(OpCase.MKDIRS, RequestCounter.REQUESTS));
    answer.complete(MetaResponse.getDefaultInstance());

    assertTrue(measured.isDone());
    assertEquals(120_000, meter.get(OpCase.MKDIRS, RequestCounter.MICROS));
    assertEquals(1, meter.get(OpCase.MKDIRS, RequestCounter.SLOW));
  }

  @Test
  void shouldShowEveryOperation() {
    List<Metric> metrics = fixture.meter.read("metadata");

    assertEquals(OpCase.values().length * RequestCounter.values().length, metrics.size());
    Set<String> names = metrics.stream().map(Metric::name).collect(Collectors.toSet());
    assertEquals(metrics.size(), names.size());
    assertTrue(
        names.containsAll(Arrays.asList("create_requests", "rename_micros")), names::toString);
  }
}
