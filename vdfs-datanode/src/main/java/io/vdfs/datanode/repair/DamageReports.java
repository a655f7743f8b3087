package io.vdfs.datanode.repair;

import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.repair.copy.GroupKey;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * Groups of which bytes are damaged here and that the metadata have not heard of yet. Confined to
 * the loop of repair.
 */
final class DamageReports {
  private final RepairCalls calls;
  private final ServiceLoop loop;
  private final IntConsumer onRecorded;
  private final Set<GroupKey> waiting = new LinkedHashSet<>();
  private boolean sending;

  /**
   * @param onRecorded told how many groups of a report were not recorded before
   */
  DamageReports(RepairCalls calls, ServiceLoop loop, IntConsumer onRecorded) {
    this.calls = calls;
    this.loop = loop;
    this.onRecorded = onRecorded;
  }

  void add(GroupKey group) {
    waiting.add(group);
    send();
  }

  /**
   * Reports some of the groups that wait, unless a report is under way; those of a failed report
   * wait on.
   */
  void send() {
    if (waiting.isEmpty() || sending) {
      return;
    }
    sending = true;
    List<GroupKey> batch = waiting.stream().limit(Lifts.BATCH).toList();
    // one that is added meanwhile is reported once more
    batch.forEach(waiting::remove);
    var unused =
        calls
            .report(batch)
            .whenCompleteAsync(
                (result, failure) -> {
                  sending = false;
                  if (failure == null) {
                    onRecorded.accept(result.getRecorded());
                  } else {
                    waiting.addAll(batch);
                  }
                },
                loop);
  }
}
