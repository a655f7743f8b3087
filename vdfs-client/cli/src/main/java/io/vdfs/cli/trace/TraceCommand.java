package io.vdfs.cli.trace;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs trace print|summary|timeline FILE...}: shows the files that the filesystem {@code
 * trace://} wrote. The exit code is 2 if a file is cut or records were dropped; the rest is shown
 * all the same.
 */
@Command(name = "trace", description = "Show what traced filesystems were asked for.")
public final class TraceCommand {
  private static final String FILES =
      "Trace files on this machine; a directory stands for all *.trace in it.";

  @Spec private CommandSpec spec;

  @Command(name = "print", description = "Each call in a line.")
  int print(@Parameters(arity = "1..*", paramLabel = "FILE", description = FILES) List<Path> files)
      throws IOException {
    TraceText text = new TraceText(ZoneId.systemDefault());
    TraceScan scan = new TraceScan();
    scan.read(files, (header, record) -> out().println(text.line(header, record)));
    return exitCode(scan);
  }

  @Command(
      name = "summary",
      description = "Tables: counts, bytes, sizes, sequential share, latencies.")
  int summary(
      @Parameters(arity = "1..*", paramLabel = "FILE", description = FILES) List<Path> files,
      @Option(
              names = "--files",
              paramLabel = "N",
              defaultValue = "20",
              description = "How many traced files to show, those with the most bytes first.")
          int shown)
      throws IOException {
    TraceSummary summary = new TraceSummary();
    TraceScan scan = new TraceScan();
    scan.read(files, summary);
    summary.print(scan, shown, out());
    return exitCode(scan);
  }

  @Command(
      name = "timeline",
      description = "A chart (SVG) of offsets over time, a panel for each task.")
  int timeline(
      @Parameters(arity = "1..*", paramLabel = "FILE", description = FILES) List<Path> files,
      @Option(
              names = {"-o", "--output"},
              paramLabel = "SVG",
              description = "Where to write it; else it is printed.")
          Path output,
      @Option(
              names = "--path",
              paramLabel = "TEXT",
              defaultValue = "",
              description = "Only traced files whose path has this in it.")
          String part)
      throws IOException {
    Timeline timeline = new Timeline();
    TraceScan scan = new TraceScan();
    scan.read(
        files,
        (header, record) -> {
          if (record.path().contains(part)) {
            timeline.onRecord(header, record);
          }
        });
    if (timeline.isEmpty()) {
      throw new VdfsException(ErrorCode.NOT_FOUND, "no bytes were read or written in this trace");
    }
    String svg = timeline.draw(scan.files() + " traces, " + scan.records() + " records");
    if (output == null) {
      out().print(svg);
    } else {
      Files.writeString(output, svg);
    }
    return exitCode(scan);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Says what is missing. */
  private int exitCode(TraceScan scan) {
    PrintWriter err = spec.commandLine().getErr();
    scan.faults().forEach(fault -> err.println("vdfs trace: " + fault));
    if (scan.dropped() > 0) {
      err.println("vdfs trace: records that were dropped: " + scan.dropped());
    }
    return scan.faults().isEmpty() && scan.dropped() == 0 ? ExitCodes.SOUND : ExitCodes.DEGRADED;
  }
}
