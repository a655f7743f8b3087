package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.CHUNK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static io.vdfs.datanode.store.StoreFixture.ONE_VOLUME;
import static io.vdfs.datanode.store.StoreFixture.TWO_VOLUMES;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.volume.VolumeRoster;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stops or fails a scripted workload at each of its disk operations and checks what is left. */
@Timeout(240)
class CrashSweepTest {
  private static final int POWER_CUTS = 4;

  /**
   * Pairs of faults that are tried beside close ones; {@code -Dvdfs.sweep.pairs=1000000} tries all.
   */
  private static final int PAIRS = Integer.getInteger("vdfs.sweep.pairs", 1500);

  /** Says which ones; {@code -Dvdfs.sweep.seed=N} tries others. */
  private static final int SWEEP_SEED = Integer.getInteger("vdfs.sweep.seed", 1);

  /**
   * One in so many operations is where the recovery that is crashed begins; {@code
   * -Dvdfs.sweep.recoveries=1} tries all.
   */
  private static final int RECOVERIES = Integer.getInteger("vdfs.sweep.recoveries", 10);

  private static int operationsOfAQuietRun() throws VdfsException {
    try (Machine machine = new Machine(TWO_VOLUMES)) {
      DiskBlockStore store = machine.start();
      Workload workload = new Workload(store);
      workload.run();
      assertEquals(0, workload.failures(), "failed steps");
      check(workload, store, "quiet run");
      int operations = machine.disk().operations();
      machine.cutPower(0);
      check(workload, machine.start(), "after a quiet run");
      return operations;
    }
  }

  private static void check(Workload workload, BlockStore store, String when) throws VdfsException {
    check(workload.model(), store, when);
  }

  private static void check(List<ModelGroup> groups, BlockStore store, String when)
      throws VdfsException {
    for (ModelGroup model : groups) {
      byte[] held = StoreFixture.readGroup(store, model.key(), model.group());
      model.check(held, when);
      assertTrue(
          store.group(model.key(), model.group()).fenceEpoch() >= model.fence() || held.length == 0,
          when + ": fence of " + model.key());
    }
    HeldRecount.assertExact(store, groups, when);
  }

  @Test
  void shouldKeepWhatWasAcknowledgedWhenTheProcessDiesAnywhere() throws VdfsException {
    int operations = operationsOfAQuietRun();
    assertTrue(operations > 80, "operations=" + operations);
    for (int at = 1; at <= operations; at++) {
      for (Fault fault : List.of(Fault.CRASH, Fault.CRASH_MIDWAY)) {
        try (Machine machine = new Machine(TWO_VOLUMES)) {
          Optional<Workload> workload = crash(machine, at, fault);
          machine.kill();
          reopenTwice(machine, workload, "kill at operation " + at + " " + fault);
        }
      }
    }
  }

  @Test
  void shouldKeepWhatWasSyncedWhenThePowerFailsAnywhere() throws VdfsException {
    int operations = operationsOfAQuietRun();
    for (int at = 1; at <= operations; at++) {
      for (int seed = 0; seed < POWER_CUTS; seed++) {
        try (Machine machine = new Machine(TWO_VOLUMES)) {
          Fault fault = seed % 2 == 0 ? Fault.CRASH : Fault.CRASH_MIDWAY;
          Optional<Workload> workload = crash(machine, at, fault);
          machine.cutPower(1000L * at + seed);
          reopenTwice(machine, workload, "power cut at operation " + at + ", seed " + seed);
        }
      }
    }
  }

  @Test
  void shouldSurviveACrashOfTheRecovery() throws VdfsException {
    int operations = operationsOfAQuietRun();
    for (int at = 1; at <= operations; at += RECOVERIES) {
      boolean recoveryCrashed = true;
      for (int step = 0; recoveryCrashed; step++) {
        try (Machine machine = new Machine(TWO_VOLUMES)) {
          Optional<Workload> workload = crash(machine, at, Fault.CRASH_MIDWAY);
          machine.cutPower(at);
          machine.disk().planNext(step, step % 2 == 0 ? Fault.CRASH : Fault.CRASH_MIDWAY);
          recoveryCrashed = startFails(machine);
          machine.cutPower(31L * at + step);
          reopenTwice(machine, workload, "operation " + at + ", crash in recovery step " + step);
        }
      }
    }
  }

  private static boolean startFails(Machine machine) {
    try {
      machine.start();
      return machine.disk().hasCrashed();
    } catch (VdfsException e) {
      assertTrue(machine.disk().hasCrashed(), e::toString);
      return true;
    }
  }

  @Test
  void shouldNeverAcknowledgeWhatADiskErrorLost() throws VdfsException {
    int operations = operationsOfAQuietRun();
    int setUp = setUpOperations();
    for (int at = setUp + 1; at <= operations; at++) {
      for (Fault fault : List.of(Fault.ERROR, Fault.FULL, Fault.TORN, Fault.LOSE, Fault.SHORT)) {
        try (Machine machine = new Machine(TWO_VOLUMES)) {
          machine.disk().plan(at, fault);
          String when = fault + " at operation " + at;
          Workload workload = new Workload(machine.start());
          workload.run();
          assertTrue(machine.disk().operations() >= at, when + " did not happen");
          killThenFenceThenCut(machine, workload, when);
        }
      }
    }
  }

  @Test
  void shouldKeepItsPromisesThroughTwoFaultsAndGoOnInTheSameProcess() throws VdfsException {
    int setUp = setUpOperations();
    int operations = operationsOfAQuietStubbornRun();
    List<FaultPair> all = FaultPair.all(setUp + 1, operations);
    Collections.shuffle(all, new Random(SWEEP_SEED));
    List<FaultPair> pairs = FaultPair.close(setUp + 1, operations);
    pairs.addAll(all.subList(0, Math.min(PAIRS, all.size())));
    int fired = 0;
    int wentOn = 0;
    for (FaultPair pair : pairs) {
      try (Machine machine = new Machine(ONE_VOLUME)) {
        boolean powerFails = pair.hashCode() % 2 == 0;
        String when = pair + (powerFails ? ", then a power cut" : ", then a kill");
        pair.plan(machine.disk());
        StubbornWorkload workload = new StubbornWorkload(machine.start(), powerFails);
        try {
          workload.run();
          fired += machine.disk().fired() - 1;
          wentOn += workload.wentOn();
          if (!machine.disk().hasCrashed()) {
            check(workload.model(), machine.store(), when + ", in the same process");
          }
          if (powerFails) {
            machine.cutPower(pair.hashCode());
          } else {
            machine.kill();
          }
          check(workload.model(), machine.start(), when);
        } catch (VdfsException | AssertionError e) {
          throw new AssertionError(when, e);
        }
      }
    }
    // a disk that failed is not written to again, so that nothing can fail there
    assertTrue(fired > pairs.size() / 2, "second faults=" + fired + " of " + pairs.size());
    assertTrue(wentOn > pairs.size() / 4, "went on=" + wentOn + " of " + pairs.size());
  }

  private static int operationsOfAQuietStubbornRun() throws VdfsException {
    try (Machine machine = new Machine(ONE_VOLUME)) {
      StubbornWorkload workload = new StubbornWorkload(machine.start(), true);
      workload.run();
      assertEquals(0, workload.givenUp(), "groups given up");
      assertEquals(0, workload.wentOn(), "failures");
      check(workload.model(), machine.store(), "quiet run");
      return machine.disk().operations();
    }
  }

  private static int setUpOperations() throws VdfsException {
    try (Machine machine = new Machine(TWO_VOLUMES)) {
      machine.start();
      return machine.disk().operations();
    }
  }

  @Test
  void shouldSayWhenAVolumeCannotBeSetUp() throws VdfsException {
    int setUp = setUpOperations();
    int refused = 0;
    for (int at = 1; at <= setUp; at++) {
      for (Fault fault : List.of(Fault.ERROR, Fault.FULL)) {
        try (Machine machine = new Machine(TWO_VOLUMES)) {
          machine.disk().plan(at, fault);
          int failed = failedVolumes(machine);
          assertEquals(
              volumesWithout(machine, at, fault), failed, machine.disk().trace().get(at - 1));
          refused += failed;
          machine.kill();
          assertEquals(List.of(), machine.start().report().failedVolumes());
        }
      }
    }
    assertTrue(refused > 0);
  }

  private static int failedVolumes(Machine machine) {
    try {
      return machine.start().report().failedVolumes().size();
    } catch (VdfsException e) {
      return TWO_VOLUMES.size();
    }
  }

  /** How many volumes cannot be set up. */
  private static int volumesWithout(Machine machine, int at, Fault fault) {
    if (tolerates(machine, at, fault)) {
      // if there is no room for the list of volumes only the list is lost
      return 0;
    }
    List<String> trace = machine.disk().trace().subList(0, at);
    List<String> ofParent = trace.stream().filter(line -> line.endsWith(" directory /")).toList();
    // a failure to force the directory that both lie in counts for both
    return ofParent.equals(List.of(trace.get(at - 1))) ? TWO_VOLUMES.size() : 1;
  }

  private static boolean tolerates(Machine machine, int at, Fault fault) {
    return fault == Fault.FULL
        && machine.disk().trace().subList(0, at).stream()
            .anyMatch(operation -> operation.contains(VolumeRoster.FILE_NAME));
  }

  /** What a fence answered must be there even if the disk lied before the process was gone. */
  private static void killThenFenceThenCut(Machine machine, Workload workload, String when)
      throws VdfsException {
    machine.kill();
    List<byte[]> held = new ArrayList<>();
    DiskBlockStore store = machine.start();
    check(workload, store, when);
    for (ModelGroup model : workload.model()) {
      long length = StoreFixture.verified(store, model.key(), model.group(), 100);
      held.add(StoreFixture.readGroup(store, model.key(), model.group()));
      assertEquals(held.get(held.size() - 1).length, length, when);
    }
    machine.cutPower(when.hashCode());
    DiskBlockStore again = machine.start();
    check(workload, again, when + ", then fenced and cut");
    for (ModelGroup model : workload.model()) {
      byte[] before = held.remove(0);
      // a deletion is not durable: nothing may have become something again
      if (before.length > 0) {
        assertArrayEquals(
            before,
            StoreFixture.readGroup(again, model.key(), model.group()),
            when + ", then fenced and cut");
      }
    }
  }

  /**
   * @return the workload as far as it came; empty if the store did not open
   */
  private static Optional<Workload> crash(Machine machine, int at, Fault fault) {
    machine.disk().plan(at, fault);
    Optional<Workload> workload = Optional.empty();
    try {
      workload = Optional.of(new Workload(machine.start()));
      workload.get().run();
    } catch (VdfsException e) {
      assertTrue(machine.disk().hasCrashed(), e::toString);
    }
    assertTrue(machine.disk().hasCrashed(), "operation " + at + " did not crash");
    return workload;
  }

  /** The contents found must be allowed, must stay, and must be fit to go on with. */
  private static void reopenTwice(Machine machine, Optional<Workload> crashed, String when)
      throws VdfsException {
    DiskBlockStore once = machine.start();
    if (crashed.isEmpty()) {
      return;
    }
    Workload workload = crashed.get();
    check(workload, once, when);
    List<byte[]> held = new ArrayList<>();
    for (ModelGroup model : workload.model()) {
      held.add(StoreFixture.readGroup(once, model.key(), model.group()));
    }
    machine.kill();
    DiskBlockStore twice = machine.start();
    assertEquals(0, twice.report().recoveredBlocks(), when + ": second restart");
    for (ModelGroup model : workload.model()) {
      byte[] before = held.remove(0);
      assertArrayEquals(
          before,
          StoreFixture.readGroup(twice, model.key(), model.group()),
          () -> when + ": second restart of " + model.key() + " group " + model.group());
      goOn(twice, model, before, when);
    }
  }

  private static void goOn(BlockStore store, ModelGroup model, byte[] held, String when)
      throws VdfsException {
    int start = model.group() * GROUP;
    byte[] file = StoreFixture.content(9, 2 * GROUP);
    System.arraycopy(held, 0, file, start, held.length);
    int from = start + held.length / CHUNK * CHUNK;
    int to = Math.min(start + GROUP, from + 3 * CHUNK + 5);
    long epoch = store.group(model.key(), model.group()).fenceEpoch() + 10;
    BlockWriter writer = StoreFixture.writer(store, model.key(), model.group(), epoch, from);
    if (from < to) {
      StoreFixture.append(writer, file, from, to);
    }
    writer.close(true);
    assertArrayEquals(
        Arrays.copyOfRange(file, start, to),
        StoreFixture.readGroup(store, model.key(), model.group()),
        when + ": going on");
    StoreFixture.assertCode(
        ErrorCode.FENCED,
        () -> StoreFixture.writer(store, model.key(), model.group(), epoch - 1, from));
  }
}
