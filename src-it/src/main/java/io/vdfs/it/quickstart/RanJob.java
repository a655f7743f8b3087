package io.vdfs.it.quickstart;

import io.vdfs.it.quickstart.StreamReport.TaskList;
import java.util.List;
import java.util.Optional;

/**
 * A job that has succeeded. Immutable.
 *
 * @param mapHosts where the successful attempt of each map task ran, by task number
 * @param stream empty if the job did not draw its input from a ledger
 * @param lists what each task has drawn from the ledger, by task number
 */
record RanJob(
    String name,
    List<String> mapHosts,
    int reduces,
    Optional<StreamReport> stream,
    List<TaskList> lists) {
  RanJob {
    mapHosts = List.copyOf(mapHosts);
    lists = List.copyOf(lists);
  }

  int maps() {
    return mapHosts.size();
  }
}
