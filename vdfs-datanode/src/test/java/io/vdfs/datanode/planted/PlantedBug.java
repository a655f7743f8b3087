package io.vdfs.datanode.planted;

import io.vdfs.datanode.meta.service.ShortestWins;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.loading.ClassReloadingStrategy;
import net.bytebuddy.matcher.ElementMatchers;

/**
 * Bugs that would lose or spoil bytes, each with the test that has to see it. A bug is one method
 * of the product that is spoiled in the JVM of the test; the product itself knows nothing of it.
 */
enum PlantedBug {
  NO_FORCE(
      "store.file.FilePair",
      "force",
      Spoiled.NotDone.class,
      "store.CrashSweepTest#shouldKeepWhatWasSyncedWhenThePowerFailsAnywhere"),
  FENCE_FORGOTTEN(
      "store.file.CombinedFile",
      "addFence",
      Spoiled.NotDone.class,
      "store.CrashSweepTest#shouldKeepWhatWasAcknowledgedWhenTheProcessDiesAnywhere"),
  TORN_TAIL_IS_FATAL(
      "store.file.IndexContents",
      "onDamage",
      Spoiled.Fatal.class,
      "store.CrashSweepTest#shouldKeepWhatWasAcknowledgedWhenTheProcessDiesAnywhere"),
  DISK_ERROR_IS_THE_END(
      "store.disk.DiskTransfer", "readFully", Spoiled.ErrorsUnseen.class, "store.VolumeLossTest"),
  CHECKSUM_SKIPPED(
      "io.vdfs.common.checksum.ChunkChecksums",
      "firstMismatch",
      Spoiled.MinusOne.class,
      "store.DamageTest"),
  ACKNOWLEDGED_BEFORE_THE_NEXT_NODE(
      "transfer.write.WriteStage",
      "acknowledge",
      Spoiled.NobodyBehind.class,
      "transfer.write.PipelineTest"),
  ACKNOWLEDGED_BEFORE_THE_LOG_IS_SAFE(
      "meta.raft.disk.RatisFiles", "forceNames", Spoiled.NotDone.class, "meta.raft.GroupForceTest"),
  FAILED_REMOVAL_ACKNOWLEDGED(
      "meta.service.DeletionWorker",
      "remove",
      Spoiled.Yes.class,
      "meta.service.DeletionWorkerTest"),
  SHORTEST_REPLICA_WINS(
      "meta.service.GroupCensus", "judge", ShortestWins.class, "meta.raft.MetadataSimulationTest"),
  DAMAGE_IS_NO_DOUBT(
      "meta.service.GroupCensus", "loss", Spoiled.NoValue.class, "meta.service.LeaseRecoveryTest"),
  PROMOTED_WITHOUT_COPIES(
      "repair.HoldingsAudit", "isHeld", Spoiled.Yes.class, "repair.RepairSimulationTest"),
  DROPPED_UNCONFIRMED(
      "io.vdfs.common.ring.RingTerms", "mayLeave", Spoiled.Yes.class, "meta.op.RingOperationsTest"),
  LIFTED_UNREAD(
      "repair.copy.GroupComparison",
      "blocksToCopy",
      Spoiled.NoList.class,
      "repair.RepairSimulationTest"),
  LIFTED_THOUGH_WRITTEN_SINCE(
      "meta.op.copies.LiftExclusionsOperation",
      "isWhatItShouldBe",
      Spoiled.Yes.class,
      "meta.op.RepairOperationsTest"),
  COPIED_FROM_A_BAD_SOURCE(
      "repair.copy.GroupComparison", "isWhole", Spoiled.Yes.class, "repair.RepairSimulationTest"),
  GOOD_BYTES_GIVE_WAY(
      "repair.copy.GroupComparison",
      "contradiction",
      Spoiled.NoNumber.class,
      "repair.copy.GroupRepairTest"),
  OTHER_BYTES_PASS_THE_AUDIT(
      "repair.HoldingsAudit", "isAnother", Spoiled.NotDone.class, "repair.RepairSimulationTest"),
  COPIED_FROM_OTHER_BYTES(
      "repair.copy.GroupComparison",
      "isAnother",
      Spoiled.NotDone.class,
      "repair.copy.GroupRepairTest"),
  NEW_KEEPERS_BELIEVED(
      "meta.op.cluster.NewKeepers",
      "leftOutOf",
      Spoiled.NoValue.class,
      "meta.op.RingOperationsTest"),
  CHANGES_SINCE_THE_AUDIT_FORGOTTEN(
      "meta.op.cluster.PossibleLacks", "files", Spoiled.NoList.class, "meta.op.RingOperationsTest"),
  ANOTHER_RING_ACCEPTED(
      "repair.HoldingsAudit", "take", Spoiled.AnyRing.class, "repair.HoldingsAuditTest"),
  CONFIRMED_BY_THE_DEAD(
      "meta.ring.Confirmations", "onLook", Spoiled.NotDone.class, "meta.ring.ConfirmationsTest"),
  CONFIRMED_THOUGH_DAMAGED(
      "repair.Confirmation", "withdraw", Spoiled.NotDone.class, "repair.RepairerTest"),
  SURPLUS_WITHOUT_ASKING(
      "repair.garbage.GarbageCollector",
      "isWhole",
      Spoiled.Yes.class,
      "repair.garbage.GarbageCollectorTest"),
  DISCARDED_WHILE_TOLD_OF(
      "repair.Repairer", "beginDiscard", Spoiled.Yes.class, "repair.RepairerTest"),
  WIPED_MEMBER_VOTES(
      "meta.raft.DoubtGuard",
      "mayVoteFor",
      Spoiled.Yes.class,
      "meta.raft.DamagedLogTest" + "#shouldElectNobodyWhileAnEmptiedAndATornMemberMayLackTheSame");

  private static final String PACKAGE = "io.vdfs.datanode.";

  private final String type;
  private final String method;
  private final Class<?> spoiling;
  private final String caughtBy;

  /**
   * @param type spoiled class, without the daemon's package
   * @param method all of this name
   * @param caughtBy test class, without the daemon's package, or one of its methods
   */
  PlantedBug(String type, String method, Class<?> spoiling, String caughtBy) {
    this.type = type.startsWith("io.") ? type : PACKAGE + type;
    this.method = method;
    this.spoiling = spoiling;
    this.caughtBy = PACKAGE + caughtBy;
  }

  /** The test class that has to fail, or class#method. */
  String caughtBy() {
    return caughtBy;
  }

  /** Takes a bug out again. */
  @FunctionalInterface
  interface Planted {
    void close();
  }

  /** Spoils the method until the result is closed. */
  Planted plant() throws ClassNotFoundException {
    Class<?> spoiled = Class.forName(type);
    if (Arrays.stream(spoiled.getDeclaredMethods())
        .noneMatch(declared -> declared.getName().equals(method))) {
      throw new IllegalStateException("no such method: class=" + type + ", method=" + method);
    }
    ClassReloadingStrategy reloading = ClassReloadingStrategy.fromInstalledAgent();
    new ByteBuddy()
        .redefine(spoiled)
        .visit(Advice.to(spoiling).on(ElementMatchers.named(method)))
        .make()
        .load(spoiled.getClassLoader(), reloading);
    return () -> {
      try {
        reloading.reset(ClassFileLocator.ForClassLoader.of(spoiled.getClassLoader()), spoiled);
      } catch (IOException e) {
        throw new UncheckedIOException("the planted bug stays: " + this, e);
      }
    };
  }
}
