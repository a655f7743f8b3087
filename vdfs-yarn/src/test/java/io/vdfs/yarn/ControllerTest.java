package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.apache.hadoop.yarn.server.nodemanager.ResourceView;
import org.junit.jupiter.api.Test;

class ControllerTest {
  private static final long SECOND = 1_000_000_000;

  private final List<Integer> updates = new ArrayList<>();
  private final OvercommitRecord record =
      new OvercommitRecord(Overcommit.refused("x=y"), List.of("a; b"), 65_536, new FixedView());
  private final Controller controller =
      new Controller(
          new ControlLaw(new Bounds(2, 16, 1_000, 8_000), Duration.ofSeconds(2)),
          this::sample,
          this::update,
          record);

  private boolean measurable = true;
  private boolean sound = true;
  private boolean managed = true;
  private int vcores = 2;
  private long second;
  private int callSeconds;

  private Sample sample() throws IOException {
    if (!measurable) {
      throw new IOException("no processor times");
    }
    if (!sound) {
      throw new IllegalStateException("a monitor's defect");
    }
    return new Sample(
        second++ * SECOND,
        0.1,
        0.1,
        OptionalDouble.empty(),
        OptionalDouble.empty(),
        OptionalDouble.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        new Sample.Node(vcores, 4_000, vcores, 1));
  }

  private void update(int wanted, long memory) throws IOException {
    updates.add(wanted);
    second += callSeconds;
    if (!managed) {
      throw new IOException("connection refused");
    }
    vcores = wanted;
  }

  private void seconds(int count) {
    for (int second = 0; second < count; second++) {
      controller.tick();
    }
  }

  @Test
  void shouldMakeTheChangeAndTellItsReasons() {
    seconds(3);
    assertEquals(List.of(4), updates);
    assertEquals(1, record.getChanges());
    assertTrue(record.getLastReasons().contains("cpu=0.07"), record.getLastReasons());
    assertEquals(7, record.getCpuLoad());
  }

  @Test
  void shouldLeaveTheNodeAsItWasAndTryAgainLater() {
    managed = false;
    seconds(6);
    assertEquals(List.of(4, 4), updates, "once in a settling time");
    assertEquals(2, record.getFailures());
    assertEquals("connection refused", record.getLastFailure());
    assertTrue(record.isFailing());
    assertEquals(0, record.getChanges());
    managed = true;
    seconds(3);
    assertEquals(4, vcores);
    assertEquals(1, record.getChanges());
    assertFalse(record.isFailing());
    assertEquals(2, record.getFailures());
  }

  @Test
  void shouldNotGoOnFailingWhereTheChangeIsNotDueAnyMore() {
    managed = false;
    seconds(3);
    vcores = 16;
    seconds(4);
    assertTrue(record.isFailing(), "it could still try again");
    seconds(2);
    assertFalse(record.isFailing());
    assertEquals(1, record.getFailures());
  }

  @Test
  void shouldGoOnWhereItCouldNotMeasure() {
    measurable = false;
    seconds(5);
    assertEquals(List.of(), updates);
    assertEquals(5, record.getFailures());
    assertTrue(record.isFailing());
    measurable = true;
    seconds(1);
    assertFalse(record.isFailing());
    seconds(2);
    assertEquals(List.of(4), updates);
  }

  @Test
  void shouldTakeADefectOfTheMeasurementForAFailure() {
    sound = false;
    seconds(5);
    assertEquals(5, record.getFailures());
    assertTrue(record.getLastFailure().contains("a monitor's defect"), record.getLastFailure());
    sound = true;
    seconds(3);
    assertEquals(List.of(4), updates);
  }

  @Test
  void shouldMeasureForASettlingTimeAfterACallThatTookLong() {
    callSeconds = 60;
    seconds(5);
    assertEquals(List.of(4), updates, "only a second was measured since");
    seconds(1);
    assertEquals(List.of(4, 8), updates);
  }

  @Test
  void shouldGoOnFromWhatAnotherProgramSet() {
    seconds(3);
    vcores = 3;
    seconds(3);
    assertEquals(List.of(4, 6), updates);
  }

  private static final class FixedView implements ResourceView {
    @Override
    public long getVmemAllocatedForContainers() {
      return 0;
    }

    @Override
    public boolean isVmemCheckEnabled() {
      return false;
    }

    @Override
    public long getPmemAllocatedForContainers() {
      return 0;
    }

    @Override
    public boolean isPmemCheckEnabled() {
      return false;
    }

    @Override
    public long getVCoresAllocatedForContainers() {
      return 0;
    }
  }
}
