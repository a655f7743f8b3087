package io.vdfs.client.cli;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.AdminClients;
import io.vdfs.common.config.SiteFile;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Main class of the commands: {@code COMMAND --conf DIR [ARGUMENT...]}. */
public final class VdfsCommands {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private static final Map<String, Command> COMMANDS =
      Map.of(
          "report",
          (client, arguments, out) -> new ReportCommand().run(client, out),
          "ring",
          (client, arguments, out) -> new RingCommand().run(client.cluster(), out),
          "quota",
          new QuotaCommand(),
          "metadata",
          new MetadataCommand(),
          "recover",
          new RecoverCommand(Duration.ofMinutes(5)));

  private VdfsCommands() {}

  /** Ends the process with 0, 1 after a failure, 2 after wrong arguments. */
  public static void main(String[] arguments) {
    System.exit(run(arguments, System.out, System.err));
  }

  static int run(String[] arguments, PrintStream out, PrintStream err) {
    Command command = arguments.length >= 3 ? COMMANDS.get(arguments[0]) : null;
    if (command == null || !arguments[1].equals("--conf")) {
      err.println("usage: vdfs report|ring|quota|metadata|recover [--conf DIR] [ARGUMENT...]");
      return USAGE;
    }
    try (VdfsClient client = connect(Path.of(arguments[2]))) {
      command.run(client, List.of(arguments).subList(3, arguments.length), out);
      return OK;
    } catch (IOException e) {
      err.println("vdfs " + arguments[0] + ": " + e.getMessage());
      return FAILED;
    }
  }

  /** The cluster that the daemons' settings in that directory name. */
  private static VdfsClient connect(Path directory) throws IOException {
    Map<String, String> site = SiteFile.read(directory.resolve("vdfs-site.xml"));
    return AdminClients.open(
        site.getOrDefault("vdfs.cluster.name", "vdfs"),
        site.getOrDefault("vdfs.zookeeper", "localhost:2181"),
        site.getOrDefault("vdfs.zookeeper.root", "/vdfs"));
  }
}
