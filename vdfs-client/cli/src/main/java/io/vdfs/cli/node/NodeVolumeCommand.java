package io.vdfs.cli.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.cluster.NodeNames;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.admin.KnownVolume;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code vdfs node volume add NODE VOLUME...}: lets an empty disk take the place of a volume that
 * is lost. A volume is named by its id, or by the directory where it is or was last.
 */
@Command(name = "volume", description = "The volumes of a node: replace one that is lost.")
public final class NodeVolumeCommand {
  private final Clusters clusters;

  @Spec private CommandSpec spec;

  public NodeVolumeCommand(Clusters clusters) {
    this.clusters = clusters;
  }

  @Command(
      name = "add",
      description =
          "Declare volumes of a node lost: its next start makes an empty directory a new volume."
              + " What lay there is copied from other nodes.")
  int add(
      @Parameters(paramLabel = "NODE", description = NodeNames.NODE) String name,
      @Parameters(
              arity = "1..*",
              paramLabel = "VOLUME",
              description = "A lost volume: its id, or the directory where it was last.")
          List<String> volumes,
      @Option(names = "--json", description = "One JSON object instead of lines.") boolean json)
      throws IOException {
    return clusters.run(spec, (client, out) -> add(client, name, volumes, json, out));
  }

  private static int add(
      VdfsClient client, String name, List<String> names, boolean json, PrintWriter out)
      throws IOException {
    CopiesReport copies = client.copies();
    NodeId node = NodeNames.of(copies).ids(List.of(name), CopiesReport.Node::live).get(0);
    List<KnownVolume> known =
        copies.nodes().stream()
            .filter(reported -> reported.id().equals(node))
            .flatMap(reported -> reported.volumes().stream())
            .toList();
    Set<UUID> lost = new LinkedHashSet<>();
    for (String volume : names) {
      lost.add(id(volume, known));
    }
    client.giveUpVolumes(node, lost);
    if (json) {
      out.println(toJson(node, lost));
    } else {
      lost.forEach(
          volume ->
              out.printf(
                  "%s  is given up: start the daemon of %s with an empty directory%n",
                  volume, name));
    }
    return ExitCodes.SOUND;
  }

  /** An id is taken as it is: the leader says why it is none of the node. */
  private static UUID id(String name, List<KnownVolume> known) throws VdfsException {
    Optional<UUID> id = NodeNames.id(name);
    if (id.isPresent()) {
      return id.get();
    }
    List<KnownVolume> meant = known.stream().filter(volume -> isThere(volume, name)).toList();
    List<KnownVolume> unserved =
        meant.stream().filter(volume -> volume.state() != KnownVolume.State.SERVING).toList();
    List<KnownVolume> lost = meant.size() > 1 ? unserved : meant;
    if (lost.size() != 1) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "%s: volume=%s; say the id of one of %s"
              .formatted(
                  meant.isEmpty()
                      ? "the node has reported no volume there"
                      : "not exactly one lost volume was there",
                  name,
                  known.stream()
                      .map(volume -> volume.id() + " at " + volume.directory())
                      .toList()));
    }
    return lost.get(0).id();
  }

  private static boolean isThere(KnownVolume volume, String directory) {
    return volume.directory().equals(directory);
  }

  private static String toJson(NodeId node, Set<UUID> lost) {
    ObjectNode all = new ObjectMapper().createObjectNode().put("node", node.toString());
    ArrayNode volumes = all.putArray("givenUp");
    lost.forEach(volume -> volumes.add(volume.toString()));
    return all.put("exitCode", ExitCodes.SOUND).toPrettyString();
  }
}
