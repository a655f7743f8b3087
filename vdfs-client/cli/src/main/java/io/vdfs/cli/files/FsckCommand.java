package io.vdfs.cli.files;

import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.progress.Patience;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.FileCopies;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs fsck [PATH] [--repair] [--accept]}: which files lack copies, by what is on record.
 */
@Command(
    name = "fsck",
    description =
        "Files that lack copies, or whose copies are on dead nodes, by what is on record of them.")
public final class FsckCommand implements Callable<Integer> {
  private static final String ROOT = "/";

  private final Clusters clusters;
  private final Duration pause;
  private final Duration patience;

  @Spec private CommandSpec spec;

  @Option(names = "--json", description = "One JSON object instead of lines.")
  private boolean json;

  @Option(
      names = "--repair",
      description =
          "First have all nodes look what they lack, of all files, and wait until it is copied or"
              + " nothing goes on any more. For superusers.")
  private boolean repair;

  @Option(
      names = "--accept",
      description =
          "First give up what the metadata lost when they were recovered without their majority:"
              + " from then on nodes discard files that the metadata do not know. For superusers.")
  private boolean accept;

  @Parameters(
      arity = "0..1",
      paramLabel = "PATH",
      defaultValue = ROOT,
      description = "A file, or a directory with all that is below it; else ${DEFAULT-VALUE}.")
  private String path;

  /**
   * @param pause between two looks at the nodes
   * @param patience how long nothing may be copied before the command stops waiting for it
   */
  public FsckCommand(Clusters clusters, Duration pause, Duration patience) {
    this.clusters = clusters;
    this.pause = pause;
    this.patience = patience;
  }

  @Override
  public Integer call() throws IOException {
    if (!TreeWalk.isNormal(path)) {
      throw new ParameterException(spec.commandLine(), TreeWalk.NORMAL + ": '" + path + "'");
    }
    return clusters.run(spec, this::check);
  }

  private int check(VdfsClient client, PrintWriter out) throws IOException {
    ProgressBar bar = ProgressBar.of(spec);
    if (accept) {
      client.acceptLoss();
    }
    if (repair) {
      new RepairWait(client, bar, pause, new Patience(patience, System::nanoTime))
          .run()
          .ifPresent(why -> spec.commandLine().getErr().println("Not all is repaired: " + why));
    }
    FsckOutput output = json ? new FsckJson(out) : new FsckText(out);
    FsckTotals totals = new FsckTotals();
    long all = bar.isTerminal() ? TreeWalk.inodes(client.names(), path) : 0;
    try {
      new TreeWalk(client.names(), new Check(client, output, totals, bar, all)).walk(path);
    } finally {
      bar.clear();
    }
    output.end(totals, client.cluster().ring().epoch());
    return totals.exitCode();
  }

  /** Checks each file that the walk visits. */
  private record Check(
      VdfsClient client, FsckOutput output, FsckTotals totals, ProgressBar bar, long all)
      implements TreeWalk.Visitor {
    @Override
    public void onDirectory(String path) {
      totals.addDirectory();
      show(path);
    }

    @Override
    public void onFile(String path, FileInfo file) throws IOException {
      FileCopies copies = client.files().copies(file);
      totals.add(file, copies);
      if (FsckTotals.isNamed(copies)) {
        bar.clear();
        output.file(path, file, copies);
      }
      show(path);
    }

    @Override
    public void onRefused(String directory, String why) {
      totals.addRefused(directory, why);
    }

    private void show(String path) {
      bar.show(
          totals.directories() + totals.files(),
          all,
          "%d files, %d with too few copies, %s"
              .formatted(totals.files(), totals.namedFiles(), path));
    }
  }
}
