package io.vdfs.cli.report;

import io.vdfs.cli.cluster.CopiesTable;
import io.vdfs.cli.progress.Pauses;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;

/** Looks at the copies until none is missing. Confined to the command's thread. */
final class CopiesWatch {
  private final VdfsClient client;
  private final ProgressBar bar;
  private final Duration pause;
  // that was to be done at any time
  private long most;

  CopiesWatch(VdfsClient client, ProgressBar bar, Duration pause) {
    this.client = client;
    this.bar = bar;
    this.pause = pause;
  }

  /**
   * Ends once the leader says that no copy is missing. While there is no leader it goes on asking.
   *
   * @throws VdfsException if the first question fails, or a later one fails by the caller's fault
   */
  int watch(PrintWriter out) throws IOException {
    CopiesReport copies = client.copies();
    try {
      show(copies);
      while (!copies.isWhole()) {
        Pauses.pause(pause, "watching the copies");
        try {
          copies = client.copies();
          show(copies);
        } catch (VdfsException e) {
          if (e.code() != ErrorCode.UNAVAILABLE) {
            throw e;
          }
          bar.show(most - copies.toDo(), most, "not known now: " + e.getMessage());
        }
      }
    } finally {
      bar.clear();
    }
    CopiesTable.print(copies, client.cluster(), out);
    return CopiesTable.isFull(client.cluster()) ? ExitCodes.SOUND : ExitCodes.DEGRADED;
  }

  private void show(CopiesReport copies) throws IOException {
    most = Math.max(most, copies.toDo());
    StringBuilder text = new StringBuilder(CopiesTable.summary(copies));
    for (CopiesReport.Node node : copies.missedNodes()) {
      text.append("; ")
          .append(CopiesTable.address(client.cluster(), node))
          .append(' ')
          .append(CopiesTable.absence(node));
    }
    if (!copies.heldUpBy().isEmpty()) {
      text.append("; held up: ").append(copies.heldUpBy());
    }
    bar.show(most - copies.toDo(), most, text.toString());
  }
}
