package io.vdfs.datanode.repair.copy;

import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.loop.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Has the nodes that keep a group read it back. Confined to the loop. */
public final class KeepersCheck {
  private final Surroundings around;
  private final RepairRate rate;

  /**
   * @param rate at which bytes are read back, on all keepers together
   */
  public KeepersCheck(Surroundings around, RepairRate rate) {
    this.around = around;
    this.rate = rate;
  }

  /**
   * Whether each keeper has all bytes of a group as its writer's checksums say, and the same as the
   * others. A keeper that does not answer counts as one that does not have them.
   *
   * @param length bytes of the group
   * @param checksum CRC32C of them, as their writer sent them; 0: not known
   */
  public CompletableFuture<Boolean> allHold(
      GroupKey group, long length, int checksum, List<NodeId> keepers) {
    if (keepers.isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    GroupComparison comparison = new GroupComparison(around.geometry(), length, checksum);
    return rate.take(length * keepers.size())
        .thenComposeAsync(unused -> ask(group, length, keepers), around.loop())
        .thenApplyAsync(
            found -> {
              List<VerifiedGroup> counted = found.stream().map(comparison::upToLength).toList();
              return counted.stream()
                  .allMatch(
                      copy ->
                          comparison.isWhole(copy)
                              && comparison.blocksToCopy(counted.get(0), copy).isEmpty());
            },
            around.loop());
  }

  private CompletableFuture<List<VerifiedGroup>> ask(
      GroupKey group, long length, List<NodeId> keepers) {
    Duration limit = GroupRepair.limitFor(length);
    List<CompletableFuture<VerifiedGroup>> answers = new ArrayList<>();
    for (NodeId keeper : keepers) {
      answers.add(
          Futures.within(
                  limit,
                  around
                      .probe()
                      .verify(
                          keeper,
                          group.file(),
                          group.group(),
                          LeaseBound.NONE,
                          List.of(length),
                          limit),
                  around.loop())
              .exceptionally(failure -> VerifiedGroup.NOTHING));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
        .thenApply(unused -> answers.stream().map(CompletableFuture::join).toList());
  }
}
