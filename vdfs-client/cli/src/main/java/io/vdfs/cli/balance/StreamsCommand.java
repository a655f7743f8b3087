package io.vdfs.cli.balance;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.progress.Pauses;
import io.vdfs.client.VdfsClient;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs streams [--watch] [--all] [--json]}: the streams of jobs, and how their blocks go to
 * tasks.
 */
@Command(
    name = "streams",
    description =
        "The streams of jobs that draw blocks at run time, own ones or, for a superuser, all: what"
            + " each node still has of them, and who took the rest.")
public final class StreamsCommand implements Callable<Integer> {
  /** Cursor to the first line, and nothing on the screen. */
  private static final String CLEAR = "\u001b[H\u001b[J";

  private final Clusters clusters;
  private final Duration pause;
  private final LongSupplier clockMillis;

  @Spec private CommandSpec spec;

  @Option(
      names = "--watch",
      description = "Again and again, until all tasks of all streams have ended.")
  private boolean watch;

  @Option(names = "--all", description = "Also those of which all tasks have ended.")
  private boolean all;

  @Option(
      names = "--json",
      description = "One JSON object instead of tables; with --watch a line for each look.")
  private boolean json;

  /**
   * @param pause between two looks
   * @param clockMillis the time of day, which a watch prints at each look
   */
  public StreamsCommand(Clusters clusters, Duration pause, LongSupplier clockMillis) {
    this.clusters = clusters;
    this.pause = pause;
    this.clockMillis = clockMillis;
  }

  @Override
  public Integer call() throws IOException {
    return clusters.run(spec, watch ? this::watch : this::look);
  }

  private int look(VdfsClient client, PrintWriter out) throws IOException {
    StreamsTable table = ask(client);
    if (json) {
      out.println(table.toJson().toPrettyString());
    } else {
      table.print(width(), out);
    }
    return ExitCodes.SOUND;
  }

  /**
   * Ends at the first look at which all streams have ended. While there is no leader it goes on
   * asking.
   *
   * @throws VdfsException if the first question fails, or a later one fails by the caller's fault
   */
  private int watch(VdfsClient client, PrintWriter out) throws IOException {
    StreamsTable table = ask(client);
    show(table, out);
    while (!table.isOver()) {
      Pauses.pause(pause, "watching the streams");
      try {
        table = ask(client);
        show(table, out);
      } catch (VdfsException e) {
        if (e.code() != ErrorCode.UNAVAILABLE) {
          throw e;
        }
        spec.commandLine().getErr().println("not known now: " + e.getMessage());
      }
    }
    return ExitCodes.SOUND;
  }

  private void show(StreamsTable table, PrintWriter out) {
    if (json) {
      ObjectNode all = table.toJson();
      out.println(all.put("millis", clockMillis.getAsLong()));
    } else {
      out.print(width() > 0 ? CLEAR : "");
      table.print(width(), out);
      out.println();
    }
    out.flush();
  }

  private StreamsTable ask(VdfsClient client) throws IOException {
    return new StreamsTable(client.cluster(), client.ledger().list(all));
  }

  private static int width() {
    return Integer.getInteger(BalanceTable.WIDTH, 0);
  }
}
