package io.vdfs.datanode;

import io.vdfs.common.error.PathTrouble;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.OwnerOnly;
import io.vdfs.datanode.store.status.FailedVolume;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;

/**
 * Finds out at start whether the disk of the metadata works. Where it doesn't, the node serves its
 * blocks without a metadata member. Stateless.
 */
final class MetadataDisk {
  private static final String PROBE = "probe.tmp";
  private static final String REPAIR = "repair that disk";

  private MetadataDisk() {}

  /**
   * Closes the directory and all in it to other users, and writes to it as a test; blocks on the
   * disk.
   *
   * @param failed volumes that are not served: what lies below one is not looked at, since it may
   *     be the place where a disk is not mounted
   * @return why there can be no member, in one line with the cure; empty if there can
   * @throws VdfsException MISCONFIGURED if the directory is of another user, who could read or
   *     change what the node keeps there
   */
  static Optional<String> problemWith(Path directory, List<FailedVolume> failed)
      throws VdfsException {
    for (FailedVolume volume : failed) {
      if (directory.toAbsolutePath().startsWith(volume.directory().toAbsolutePath())) {
        return Optional.of(
            words(
                directory,
                "it lies on a data directory that is not served: " + volume.why(),
                REPAIR));
      }
    }
    try {
      write(directory);
      return Optional.empty();
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      return Optional.of(words(directory, e.toString(), PathTrouble.cure(e, REPAIR)));
    }
  }

  private static void write(Path directory) throws IOException {
    OwnerOnly.tree(directory);
    Path probe = directory.resolve(PROBE);
    try (FileChannel channel =
        FileChannel.open(probe, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(1), 0);
      channel.force(true);
    }
    Files.delete(probe);
  }

  private static String words(Path directory, String why, String cure) {
    return ("no metadata member on this node: directory=%s, why=%s; %s or change %s, and"
            + " start again; until then 'vdfs metadata replace' makes another node a member")
        .formatted(directory, why, cure, DaemonSettings.METADATA_DIRECTORY.key());
  }
}
