package io.vdfs.cli.files;

import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.FileCopies;
import java.io.PrintWriter;
import java.util.List;

/** A line for each range of groups that is not as it should be, then the totals. */
record FsckText(PrintWriter out) implements FsckOutput {
  private static final List<GroupHealth> WORST_FIRST =
      List.of(GroupHealth.NO_COPY, GroupHealth.UNREACHABLE, GroupHealth.LACKING, GroupHealth.AWAY);

  @Override
  public void file(String path, FileInfo file, FileCopies copies) {
    for (FileCopies.Range range : copies.ranges()) {
      GroupHealth state = GroupHealth.of(range);
      if (state.isNamed()) {
        out.printf(
            "%s: %s: %d of %d copies%s%n",
            path,
            range.groups() == 1
                ? "group " + range.first()
                : "groups " + range.first() + "-" + (range.end() - 1),
            range.recorded(),
            range.wanted(),
            state == GroupHealth.UNREACHABLE ? ", none of them on a node that is alive" : "");
      }
    }
  }

  @Override
  public void end(FsckTotals totals, long ringEpoch) {
    out.printf(
        "looked at    %d directories, %d files of %.1f GB in %d groups, by ring epoch %d%n",
        totals.directories(), totals.files(), totals.bytes() / 1e9, totals.groups(), ringEpoch);
    if (totals.openFiles() > 0) {
      out.printf(
          "open         %d files are being written; looked at as far as is recorded%n",
          totals.openFiles());
    }
    for (GroupHealth state : WORST_FIRST) {
      if (totals.groups(state) > 0) {
        out.printf("groups       %d %s%n", totals.groups(state), state.label());
      }
    }
    totals.refused().forEach((path, why) -> out.printf("not seen     %s: %s%n", path, why));
    if (totals.namedFiles() > 0) {
      out.printf(
          "missing      %d copies; %d files are not as they should be%n",
          totals.missingCopies(), totals.namedFiles());
    } else {
      out.println("missing      no copy of what was looked at");
    }
  }
}
