package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.security.ClusterKeyFile;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.CommonOptions;
import io.vdfs.datanode.command.ExitCodes;
import io.vdfs.datanode.meta.raft.MemberRecovery;
import io.vdfs.datanode.store.load.StoreOpener;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * The command {@code vdfs-daemon metadata-recover}: for a metadata group that has permanently lost
 * its majority. Run where a surviving member was, it makes that member the only one; changes that
 * only the lost members had are gone.
 */
@Command(
    name = "metadata-recover",
    description =
        "Make this node's copy of the metadata the only one, where the others are lost for ever.",
    footer = "See 'When a majority of the metadata is lost' in docs/operations/failures.md.")
final class MetadataRecoverCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataRecoverCommand.class);
  private static final String ACCEPT = "--accept-loss";

  @Spec private CommandSpec spec;

  @Option(
      names = ACCEPT,
      description =
          "Do it: changes that only the lost members had are gone. Without it, look only.")
  private boolean accepted;

  @Override
  public Integer call() throws IOException {
    Commands.requireNoneAbove(spec);
    try {
      DaemonSettings settings = DaemonSettings.load(CommonOptions.of(spec).conf());
      return recover(
          settings,
          self(settings),
          accepted,
          spec.commandLine().getOut(),
          spec.commandLine().getErr());
    } catch (IOException e) {
      LOG.debug("No recovery", e);
      throw e;
    }
  }

  private static NodeId self(DaemonSettings settings) throws VdfsException {
    return StoreOpener.nodeOf(settings.storage().directories())
        .orElseThrow(
            () ->
                new VdfsException(
                    ErrorCode.MISCONFIGURED,
                    "no DataNode ever ran on these volumes: " + settings.storage().directories()));
  }

  /**
   * @return exit code
   */
  static int recover(
      DaemonSettings settings, NodeId self, boolean accepted, PrintWriter out, PrintWriter err)
      throws IOException {
    try (ClusterDirectory cluster =
            ClusterDirectory.openAsNode(
                settings.cluster().zooKeeper(),
                settings.cluster().name(),
                new ClusterKeyFile(settings.cluster().keyFile()).load(),
                Optional.empty());
        MemberRecovery recovery = MemberRecovery.open(settings.metadata().home(), self)) {
      MetadataGroup group = requireLost(cluster.snapshot(), self);
      MemberRecovery.Findings found = recovery.findings();
      print(settings, found, self, out);
      if (!accepted) {
        err.printf(
            "%nNothing was given up. A torn end of the log, if any, was cut, as a start of the DataNode"
                + " does. Look at all members that survived in this way, choose the one"
                + " with the highest term and, in it, the highest last entry, and there repeat the"
                + " command with %s.%n",
            ACCEPT);
        return ExitCodes.FAILED;
      }
      requireCurrent(group, found.group(), recovery.begun());
      MetadataMember own = own(settings, found, self);
      UUID next = recovery.begin();
      long version = recovery.takeOver(next, own);
      publish(cluster, found.group(), next, own, version);
      recovery.end(next);
      out.printf(
          "%nThis node is the only metadata member now. Start its DataNode, then add members with"
              + " 'vdfs metadata add NODE'.%n");
      return ExitCodes.SOUND;
    }
  }

  /** Another process that handles the group could still save what this one gives up. */
  private static MetadataGroup requireLost(ClusterSnapshot cluster, NodeId self)
      throws VdfsException {
    MetadataGroup group =
        cluster
            .metadataGroup()
            .orElseThrow(
                () ->
                    new VdfsException(
                        ErrorCode.MISCONFIGURED, "the metadata group was never founded"));
    if (cluster.liveNodes().containsKey(self)) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("the DataNode of this machine lives: node=%s; stop it, and wait until its session"
                  + " in ZooKeeper has ended")
              .formatted(self));
    }
    List<String> living =
        group.members().stream()
            .filter(member -> cluster.liveNodes().containsKey(member.id()))
            .map(MetadataMember::host)
            .toList();
    if (living.size() > group.members().size() / 2) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "a majority of the metadata members lives, so nothing is lost: living=%s, members=%s;"
                  .formatted(living, group.members())
              + " start this DataNode instead, or replace it with 'vdfs metadata replace'");
    }
    return group;
  }

  private static void requireCurrent(MetadataGroup group, UUID found, Optional<UUID> next)
      throws VdfsException {
    if (!group.groupId().equals(found) && !next.equals(Optional.of(group.groupId()))) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "this member's group was given up already: group=%s, now=%s, members=%s; start this"
                  .formatted(found, group.groupId(), group.members())
              + " DataNode and add it with 'vdfs metadata add'");
    }
  }

  private static void print(
      DaemonSettings settings, MemberRecovery.Findings found, NodeId self, PrintWriter out) {
    out.printf("node         %s (%s)%n", settings.node().host(), self);
    out.printf("directory    %s%n", settings.metadata().home());
    out.printf("group        %s%n", found.group());
    for (MetadataMember member : found.members().members()) {
      out.printf("member       %s (%s)%n", member.address(), member.id());
    }
    out.printf("term         %d%n", found.term());
    out.printf("last entry   %d%n", found.last());
    out.printf("snapshot     %d%n", found.snapshot());
  }

  /** The member keeps the address by which the others knew it. */
  private static MetadataMember own(
      DaemonSettings settings, MemberRecovery.Findings found, NodeId self) throws VdfsException {
    for (MetadataMember member : found.members().members()) {
      if (member.id().equals(self)) {
        return member;
      }
    }
    for (MetadataMember member : found.members().previous()) {
      if (member.id().equals(self)) {
        return member;
      }
    }
    throw new VdfsException(
        ErrorCode.MISCONFIGURED,
        "this node was no metadata member by its own log: node=%s, host=%s, members=%s; run the"
                .formatted(self, settings.node().host(), found.members().members())
            + " command on one of them");
  }

  private static void publish(
      ClusterDirectory cluster, UUID former, UUID next, MetadataMember own, long version)
      throws VdfsException {
    String path = cluster.paths().metadata();
    try {
      Stat stat = new Stat();
      MetadataGroup shown =
          ClusterCodec.decodeMetadataGroup(
              cluster
                  .records()
                  .open(path, cluster.curator().getData().storingStatIn(stat).forPath(path)));
      requireCurrent(shown, former, Optional.of(next));
      if (shown.groupId().equals(next)) {
        return;
      }
      List<UUID> formers = new ArrayList<>(shown.formerGroups());
      formers.add(former);
      MetadataGroup recovered = new MetadataGroup(next, List.of(own), version, formers);
      cluster
          .curator()
          .setData()
          .withVersion(stat.getVersion())
          .forPath(path, cluster.records().seal(path, ClusterCodec.encode(recovered)));
    } catch (VdfsException e) {
      throw e;
    } catch (Exception e) {
      throw cluster.failure("publish the recovered metadata group", e);
    }
  }
}
