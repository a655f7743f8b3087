package io.vdfs.datanode.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeVolumesProto;
import io.vdfs.common.wire.proto.VolumeStateProto;
import io.vdfs.datanode.meta.service.ManualLoop;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VolumeReporterTest {
  private final SimulatedDisk disk = new SimulatedDisk();
  private final ManualLoop loop = new ManualLoop();
  private final List<NodeVolumesProto> reports = new ArrayList<>();
  private boolean unavailable;
  private DiskBlockStore store;
  private VolumeReporter reporter;

  @BeforeEach
  void start() throws Exception {
    store = StoreFixture.open(disk, StoreFixture.THREE_VOLUMES);
    begin();
  }

  private void begin() {
    reporter = new VolumeReporter(StoreFixture.NODE, store, this::answer, loop);
    reporter.start();
    loop.run();
  }

  @AfterEach
  void stop() throws Exception {
    reporter.stop();
    disk.kill();
    store.close();
  }

  private CompletableFuture<MetaResponse> answer(MetaRequest request) {
    reports.add(request.getReportVolumes().getVolumes());
    return CompletableFuture.completedFuture(
        unavailable
            ? Errors.response(ErrorCode.UNAVAILABLE, "planted")
            : MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build());
  }

  private static Map<String, VolumeStateProto> states(NodeVolumesProto report) {
    Map<String, VolumeStateProto> states = new TreeMap<>();
    for (KnownVolumeProto volume : report.getVolumesList()) {
      states.put(volume.getDirectory(), volume.getState());
    }
    return states;
  }

  @Test
  void shouldReportWhenItStartsAndWhenAVolumeFails() {
    assertEquals(1, reports.size());
    assertEquals(WireIds.encode(StoreFixture.NODE), reports.get(0).getNode());
    assertEquals(
        Map.of(
            "/d0", VolumeStateProto.VOLUME_SERVING,
            "/d1", VolumeStateProto.VOLUME_SERVING,
            "/d2", VolumeStateProto.VOLUME_SERVING),
        states(reports.get(0)));
    loop.advance(VolumeReporter.PERIOD.multipliedBy(50));
    assertEquals(1, reports.size());
    disk.breakDown(Path.of("/d1"));
    loop.advance(VolumeReporter.PERIOD);
    assertEquals(2, reports.size());
    assertEquals(VolumeStateProto.VOLUME_SUSPECT, states(reports.get(1)).get("/d1"));
    disk.mend(Path.of("/d1"));
  }

  @Test
  void shouldReportVolumesThatAreNotThere() throws Exception {
    reporter.stop();
    disk.kill();
    store.close();
    disk.unmount(Path.of("/d2"));
    store = StoreFixture.open(disk, StoreFixture.TWO_VOLUMES);
    begin();
    assertEquals(VolumeStateProto.VOLUME_FAILED, states(reports.get(1)).get("/d2"));
    assertEquals(VolumeStateProto.VOLUME_SERVING, states(reports.get(1)).get("/d0"));
    assertEquals(
        reports.get(0).getVolumesList().stream().map(KnownVolumeProto::getId).toList(),
        reports.get(1).getVolumesList().stream().map(KnownVolumeProto::getId).toList());
  }

  @Test
  void shouldReportAgainWhatWasNotRecordedAndNowAndThen() {
    loop.advance(VolumeReporter.AGAIN.plus(VolumeReporter.PERIOD));
    assertEquals(2, reports.size());
    unavailable = true;
    disk.breakDown(Path.of("/d0"));
    loop.advance(VolumeReporter.PERIOD.multipliedBy(3));
    assertEquals(5, reports.size());
    unavailable = false;
    loop.advance(VolumeReporter.PERIOD.multipliedBy(3));
    assertEquals(6, reports.size());
    disk.mend(Path.of("/d0"));
    reporter.stop();
    loop.advance(VolumeReporter.AGAIN.multipliedBy(2));
    assertEquals(6, reports.size());
  }
}
