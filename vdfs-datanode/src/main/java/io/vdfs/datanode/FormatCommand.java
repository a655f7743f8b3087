package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterFormat;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.ClusterKeyFile;
import io.vdfs.datanode.command.CommonOptions;
import io.vdfs.datanode.command.ExitCodes;
import io.vdfs.datanode.command.SizeConverter;
import java.io.PrintWriter;
import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Visibility;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code vdfs format}: writes the properties of a new cluster into ZooKeeper, and its
 * key into a file that all its nodes need; or takes the key one step further, see {@link
 * ClusterKey#roll}.
 */
@Command(
    name = "format",
    description =
        "Write the properties of a new cluster into ZooKeeper, once, and its key into a file.")
public final class FormatCommand implements Callable<Integer> {
  private static final String ROLL_KEY = "--roll-key";

  @Spec private CommandSpec spec;

  @ArgGroup(multiplicity = "1")
  private Deed deed;

  @Option(
      names = "--replication",
      paramLabel = "COPIES",
      defaultValue = "3",
      description = "Nodes on the list of each group of blocks; default ${DEFAULT-VALUE}.")
  private int replication;

  @Option(
      names = "--metadata-members",
      paramLabel = "N",
      defaultValue = "0",
      showDefaultValue = Visibility.NEVER,
      description =
          "Nodes that host the metadata, 1 to 9; default 5, or 3 below 5 nodes, or as many as there"
              + " are nodes.")
  private int metadataMembers;

  @Option(
      names = "--block-size",
      paramLabel = "BYTES",
      defaultValue = "8m",
      converter = SizeConverter.class,
      description = "Bytes of a block; default ${DEFAULT-VALUE}.")
  private long blockSize;

  @Option(
      names = "--group-blocks",
      paramLabel = "N",
      defaultValue = "16",
      description = "Blocks that lie together on a node; default ${DEFAULT-VALUE}.")
  private int groupBlocks;

  @Option(
      names = "--chunk-size",
      paramLabel = "BYTES",
      defaultValue = "64k",
      converter = SizeConverter.class,
      description = "Bytes under one checksum; default ${DEFAULT-VALUE}.")
  private long chunkSize;

  @Option(
      names = "--arcs",
      paramLabel = "N",
      defaultValue = "2520",
      description = "Arcs of the ring; default ${DEFAULT-VALUE}.")
  private int arcs;

  @Option(
      names = "--placement",
      paramLabel = "RULE",
      defaultValue = "turn",
      description =
          "How files are dealt to the arcs of the ring: turn, hash or random, for good; default"
              + " ${DEFAULT-VALUE}.")
  private String placement;

  @Option(
      names = "--minimum-split",
      paramLabel = "BYTES",
      defaultValue = "128m",
      converter = SizeConverter.class,
      description = "A job has a task for each so many bytes at most; default ${DEFAULT-VALUE}.")
  private long minimumSplit;

  @Option(
      names = "--superuser",
      paramLabel = "USER",
      defaultValue = "${sys:user.name}",
      description =
          "Who owns /; name the user of the daemons, who is superuser in any case; default"
              + " ${DEFAULT-VALUE}.")
  private String superuser;

  @Option(
      names = "--supergroup",
      paramLabel = "GROUP",
      defaultValue = "supergroup",
      description = "Whose members are superusers too; default ${DEFAULT-VALUE}.")
  private String supergroup;

  @Option(
      names = "--force",
      description = "Start a cluster of that name over, without its files; no node may be alive.")
  private boolean force;

  /** The action; exactly one is given. */
  private static final class Deed {
    @Option(
        names = "--nodes",
        required = true,
        paramLabel = "N",
        description = "Nodes that the first ring map waits for.")
    private int nodes;

    @Option(
        names = ROLL_KEY,
        required = true,
        description =
            "Instead take the cluster's key one step further; run it twice, restart all nodes after"
                + " each.")
    private boolean rollKey;
  }

  @Override
  public Integer call() throws VdfsException {
    PrintWriter out = spec.commandLine().getOut();
    if (deed.rollKey) {
      requireNothingElse();
      roll(ClusterSettings.load(CommonOptions.of(spec).conf()).keyFile(), out);
    } else {
      ClusterProperties properties = properties();
      format(ClusterSettings.load(CommonOptions.of(spec).conf()), properties, out);
    }
    return ExitCodes.SOUND;
  }

  private void requireNothingElse() {
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      if (!CommonOptions.isOne(option, spec) && !option.longestName().equals(ROLL_KEY)) {
        throw new ParameterException(
            spec.commandLine(),
            ROLL_KEY + " goes with no other option: option=" + option.longestName());
      }
    }
  }

  /** An existing key stays, as it may have been handed to the nodes already. */
  private void format(ClusterSettings cluster, ClusterProperties properties, PrintWriter out)
      throws VdfsException {
    ClusterKeyFile file = cluster.keyFile();
    boolean made = !file.exists();
    if (made) {
      file.create(ClusterKey.generate(new SecureRandom()));
    }
    ClusterKey key = file.load();
    boolean formatted = false;
    try {
      ClusterFormat.format(cluster.zooKeeper(), cluster.name(), properties, key, force);
      formatted = true;
    } finally {
      if (made && !formatted) {
        file.delete();
      }
    }
    out.printf(
        "formatted cluster %s: id=%s, nodes=%d%n",
        cluster.name(), properties.clusterId(), properties.expectedNodes());
    out.printf(
        "%s the cluster's key: file=%s, fingerprint=%s; each node needs a copy, readable for the"
            + " user of its daemon alone%n",
        made ? "wrote" : "found", file.path(), key.fingerprints().get(0));
  }

  private static void roll(ClusterKeyFile file, PrintWriter out) throws VdfsException {
    ClusterKey key = file.load().roll(new SecureRandom());
    file.replace(key);
    out.printf(
        key.isRotating()
            ? "step 1 of 2, a newer key beside the older one: file=%s, fingerprints=%s%n"
            : "step 2 of 2, the older key is gone: file=%s, fingerprints=%s%n",
        file.path(),
        key.fingerprints());
    out.println("Copy the file to every node of the cluster, then restart them one after another.");
    if (key.isRotating()) {
      out.println("After that run this command once more.");
    }
  }

  /** The properties that the options say; wrong usage where the options do not go together. */
  private ClusterProperties properties() {
    try {
      return new ClusterProperties(
          UUID.randomUUID(),
          new ClusterGeometry(
              Math.toIntExact(blockSize), groupBlocks, Math.toIntExact(chunkSize), arcs),
          replication,
          deed.nodes,
          metadataMembers,
          superuser,
          supergroup,
          minimumSplit,
          Placement.named(placement));
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}
