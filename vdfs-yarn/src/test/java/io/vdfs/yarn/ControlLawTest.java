package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.yarn.ControlLaw.Change;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ControlLawTest {
  private static final long SECOND = 1_000_000_000;
  private static final int SETTLING = 10;

  private final ControlLaw law =
      new ControlLaw(new Bounds(2, 16, 2_000, 16_000), Duration.ofSeconds(SETTLING));

  private ControlState state = ControlState.START;
  private long nanos = -5 * SECOND;
  private int vcores = 4;
  private int used = 4;
  private int largest = 1;
  private long memory = 8_000;
  private OptionalLong forContainers = OptionalLong.empty();
  private double busy;
  private double runnable;
  private OptionalDouble pressure = OptionalDouble.empty();
  private Optional<Sample.Disks> disks = Optional.empty();
  private OptionalDouble ioPressure = OptionalDouble.empty();
  private double memoryPressure;

  /** The last change over so many seconds, which are simulated. */
  private Optional<Change> seconds(int count) {
    Optional<Change> last = Optional.empty();
    for (int second = 0; second < count; second++) {
      nanos += SECOND;
      Sample sample =
          new Sample(
              nanos,
              busy,
              runnable,
              pressure,
              OptionalDouble.of(memoryPressure),
              ioPressure,
              disks,
              forContainers,
              new Sample.Node(vcores, memory, used, largest));
      ControlLaw.Step step = law.next(state, sample);
      state = step.state();
      if (step.change().isPresent()) {
        last = step.change();
        vcores = last.get().vcores();
        memory = last.get().memory();
      }
    }
    return last;
  }

  private Change settled() {
    return seconds(SETTLING + 1).orElseThrow();
  }

  @Test
  void shouldRaiseVcoresInProportionWhereAllHaveRoom() {
    busy = 0.85;
    assertEquals(5, settled().vcores());
    busy = 0.57;
    used = 5;
    assertEquals(10, settled().vcores());
    used = 10;
    assertEquals(16, settled().vcores(), "not above the bound");
    used = 16;
    assertFalse(seconds(5 * SETTLING).isPresent());
  }

  @Test
  void shouldSayNothingBeforeItSettles() {
    assertFalse(seconds(SETTLING).isPresent());
    assertTrue(seconds(1).isPresent());
    used = vcores;
    assertFalse(seconds(SETTLING - 1).isPresent());
    assertTrue(seconds(1).isPresent());
  }

  @Test
  void shouldNotRaiseVcoresThatAreNotTaken() {
    used = 2;
    assertFalse(seconds(5 * SETTLING).isPresent());
  }

  @Test
  void shouldTakeVcoresForTakenThatAreTooFewForALargeContainer() {
    vcores = 15;
    used = 10;
    busy = 0.6;
    assertFalse(seconds(5 * SETTLING).isPresent());
    largest = 6;
    assertEquals(16, settled().vcores());
  }

  @Test
  void shouldRaiseVcoresInSmallStepsWhereDisksAreBusy() {
    disks = Optional.of(new Sample.Disks(1, 2));
    assertEquals(5, settled().vcores());
    used = 5;
    assertEquals(7, settled().vcores());
    used = 7;
    assertEquals(9, settled().vcores());
  }

  @Test
  void shouldLowerVcoresWhereThreadsWaitForProcessors() {
    busy = 1;
    runnable = 9;
    pressure = OptionalDouble.of(0.9);
    Change change = settled();
    assertEquals(2, change.vcores());
    assertTrue(change.reasons().contains("processors"), change.reasons());
    assertFalse(seconds(5 * SETTLING).isPresent(), "not below the bound");
  }

  @Test
  void shouldFillProcessorsThatAreIdleSomeOfTheTime() {
    busy = 0.85;
    runnable = 2.3;
    pressure = OptionalDouble.of(0.5);
    assertEquals(5, settled().vcores());
    used = 5;
    busy = 0.95;
    runnable = 5.3;
    assertFalse(seconds(5 * SETTLING).isPresent(), "no more than each of them has to do");
  }

  @Test
  void shouldWaitForContainersThatEndBeforeItLowersAgain() {
    busy = 1;
    runnable = 24;
    vcores = 16;
    used = 16;
    assertEquals(8, settled().vcores());
    assertFalse(seconds(5 * SETTLING).isPresent(), "16 vcores are still taken");
    used = 8;
    assertEquals(4, settled().vcores());
  }

  @Test
  void shouldTakeALongRunQueueWithoutPressureForABurst() {
    busy = 1;
    runnable = 18;
    pressure = OptionalDouble.of(0.1);
    assertFalse(seconds(5 * SETTLING).isPresent());
    pressure = OptionalDouble.empty();
    assertEquals(2, settled().vcores(), "a kernel without pressure");
  }

  @Test
  void shouldHoldWhereQueuesOfDisksAreLongAndLowerWhereTheyAreTooLong() {
    disks = Optional.of(new Sample.Disks(0.97, 11));
    assertFalse(seconds(5 * SETTLING).isPresent());
    disks = Optional.of(new Sample.Disks(1, 24));
    Change change = settled();
    assertEquals(2, change.vcores());
    assertTrue(change.reasons().contains("disks"), change.reasons());
  }

  @Test
  void shouldJudgeDisksByPressureWhereTheDataNodeIsDown() {
    ioPressure = OptionalDouble.of(0.95);
    assertFalse(seconds(5 * SETTLING + 1).isPresent());
    ioPressure = OptionalDouble.of(0.1);
    assertEquals(8, settled().vcores());
  }

  @Test
  void shouldLowerVcoresWhereThreadsWaitForMemory() {
    memoryPressure = 0.14;
    Change change = settled();
    assertEquals(2, change.vcores());
    assertTrue(change.reasons().contains("memory"), change.reasons());
  }

  @Test
  void shouldNotTryAgainSoonWhatWasTooMuch() {
    busy = 1;
    runnable = 7.8;
    assertEquals(2, settled().vcores());
    busy = 0.7;
    runnable = 0;
    used = 2;
    assertEquals(3, settled().vcores());
    used = 3;
    assertFalse(seconds(8 * SETTLING).isPresent(), "half of what was taken is back");
    assertEquals(5, seconds(4 * SETTLING).orElseThrow().vcores());
  }

  @Test
  void shouldFollowTheLeastMemoryInSteps() {
    used = 1;
    forContainers = OptionalLong.of(8_300);
    assertFalse(seconds(5 * SETTLING).isPresent(), "less than a step");
    forContainers = OptionalLong.of(12_000);
    seconds(SETTLING);
    forContainers = OptionalLong.of(14_000);
    Change change = seconds(SETTLING).orElseThrow();
    assertEquals(12_000, change.memory());
    assertEquals(4, change.vcores());
    forContainers = OptionalLong.of(90_000);
    seconds(2 * SETTLING);
    assertEquals(16_000, memory, "never above the machine");
    forContainers = OptionalLong.of(0);
    seconds(2 * SETTLING);
    assertEquals(2_000, memory);
  }

  @Test
  void shouldBringTheStartWithinTheBounds() {
    vcores = 40;
    used = 1;
    memory = 64_000;
    Change change = settled();
    assertEquals(16, change.vcores());
    assertEquals(16_000, change.memory());
  }

  @Test
  void shouldLeaveRoomForReadAheadAndHeaps() {
    assertEquals(6_400, new MemoryShare(3_000, 5_000, 400, 700, 500).forContainers());
    assertEquals(0, new MemoryShare(0, 500, 400, 700, 500).forContainers());
  }
}
