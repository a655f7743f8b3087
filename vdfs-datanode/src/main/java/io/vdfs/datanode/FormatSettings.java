package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterProperties;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.config.Parsers;
import io.vdfs.common.config.Setting;
import io.vdfs.common.config.SettingsReader;
import io.vdfs.common.config.SiteFile;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.security.ClusterKeyFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * What {@code vdfs format} is told on its command line and by {@code vdfs-site.xml}. Immutable.
 *
 * @param clusterName name of the cluster to be made
 * @param keyFile for the secret of its nodes
 * @param force start an existing cluster over
 */
record FormatSettings(
    ZooKeeperSettings zooKeeper,
    String clusterName,
    ClusterKeyFile keyFile,
    ClusterProperties properties,
    boolean force) {
  static final String ROLL_KEY = "--roll-key";

  static final String USAGE =
      "usage: vdfs format [--conf DIR] --nodes N [--replication 3] [--metadata-members 5, or 3 if N"
          + " is below 5, or N if less] [--block-size 8m] [--group-blocks 16] [--chunk-size 64k]"
          + " [--arcs 2520] [--minimum-split 128m] [--superuser USER] [--supergroup supergroup]"
          + " [--force], or: vdfs format [--conf DIR] "
          + ROLL_KEY;

  private static final Setting<Path> CONF = new Setting<>("--conf", "", Path::of);
  private static final Setting<Integer> NODES =
      new Setting<>("--nodes", "", Parsers.integer(1, 10_000));
  private static final Setting<Integer> REPLICATION =
      new Setting<>("--replication", "3", Parsers.integer(1, 16));
  private static final Setting<Integer> MEMBERS =
      new Setting<>("--metadata-members", "0", Parsers.integer(0, 9));
  private static final Setting<Long> BLOCK_SIZE =
      new Setting<>("--block-size", "8m", Parsers::size);
  private static final Setting<Integer> GROUP_BLOCKS =
      new Setting<>("--group-blocks", "16", Parsers.integer(1, 4_096));
  private static final Setting<Long> CHUNK_SIZE =
      new Setting<>("--chunk-size", "64k", Parsers::size);
  private static final Setting<Integer> ARCS =
      new Setting<>("--arcs", "2520", Parsers.integer(1, 65_536));
  private static final Setting<Long> MINIMUM_SPLIT =
      new Setting<>("--minimum-split", "128m", Parsers::size);
  private static final Setting<String> SUPERUSER =
      new Setting<>("--superuser", System.getProperty("user.name"), Parsers::text);
  private static final Setting<String> SUPERGROUP =
      new Setting<>("--supergroup", "supergroup", Parsers::text);
  private static final List<Setting<?>> ALL =
      List.of(
          CONF,
          NODES,
          REPLICATION,
          MEMBERS,
          BLOCK_SIZE,
          GROUP_BLOCKS,
          CHUNK_SIZE,
          ARCS,
          MINIMUM_SPLIT,
          SUPERUSER,
          SUPERGROUP);

  /**
   * @param arguments of the command, without its name
   * @throws VdfsException MISCONFIGURED naming the argument or key, its value and the cure
   */
  static FormatSettings parse(List<String> arguments) throws VdfsException {
    Map<String, String> options = new HashMap<>();
    boolean force = false;
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (argument.equals("--force")) {
        force = true;
      } else if (ALL.stream().anyMatch(setting -> setting.key().equals(argument))
          && i + 1 < arguments.size()) {
        options.put(argument, arguments.get(++i));
      } else {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED, "unexpected argument " + argument + "; " + USAGE);
      }
    }
    if (!options.containsKey(CONF.key()) || !options.containsKey(NODES.key())) {
      throw new VdfsException(ErrorCode.MISCONFIGURED, "--nodes N is needed; " + USAGE);
    }
    return of(new SettingsReader(options, "the command line"), force);
  }

  /**
   * The file whose key is to be replaced, if the command is that.
   *
   * @param arguments of the command, without its name
   * @throws VdfsException MISCONFIGURED naming the argument or key, its value and the cure
   */
  static Optional<ClusterKeyFile> rolledKey(List<String> arguments) throws VdfsException {
    if (!arguments.contains(ROLL_KEY)) {
      return Optional.empty();
    }
    List<String> rest = new ArrayList<>(arguments);
    rest.remove(ROLL_KEY);
    if (rest.size() != 2 || !rest.get(0).equals(CONF.key())) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED, ROLL_KEY + " goes with no other option; " + USAGE);
    }
    Path conf = Path.of(rest.get(1));
    return Optional.of(DaemonSettings.clusterKeyFile(site(conf), conf));
  }

  private static SettingsReader site(Path conf) throws VdfsException {
    Path file = conf.resolve(DaemonSettings.SITE_FILE);
    SettingsReader site = new SettingsReader(SiteFile.read(file), file.toString());
    site.requireKnown("vdfs.", DaemonSettings.ALL);
    return site;
  }

  private static FormatSettings of(SettingsReader command, boolean force) throws VdfsException {
    SettingsReader site = site(command.get(CONF));
    try {
      int nodes = command.get(NODES);
      ClusterProperties properties =
          new ClusterProperties(
              UUID.randomUUID(),
              new ClusterGeometry(
                  Math.toIntExact(command.get(BLOCK_SIZE)),
                  command.get(GROUP_BLOCKS),
                  Math.toIntExact(command.get(CHUNK_SIZE)),
                  command.get(ARCS)),
              command.get(REPLICATION),
              nodes,
              command.get(MEMBERS),
              command.get(SUPERUSER),
              command.get(SUPERGROUP),
              command.get(MINIMUM_SPLIT));
      return new FormatSettings(
          DaemonSettings.zooKeeper(site),
          site.get(DaemonSettings.CLUSTER_NAME),
          DaemonSettings.clusterKeyFile(site, command.get(CONF)),
          properties,
          force);
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new VdfsException(ErrorCode.MISCONFIGURED, e.getMessage() + "; " + USAGE, e);
    }
  }
}
