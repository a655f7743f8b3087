package io.vdfs.datanode.meta.raft.disk;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.security.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import java.util.UUID;

/**
 * Where a node keeps its member of the metadata group, while that does not run: whether there is
 * one, how one comes and goes. Stateless; one thread per directory.
 */
public final class MemberHome {
  private static final long FOUNDER = -1;

  private MemberHome() {}

  /**
   * The group whose log the directory holds.
   *
   * @return empty where the directory is missing or empty
   * @throws VdfsException MISCONFIGURED where it can't be read or holds something else
   */
  public static Optional<UUID> groupOf(Path directory) throws VdfsException {
    if (!Files.exists(directory.resolve(MemberDirectory.DATA))) {
      return Optional.empty(); // nothing was ever started in it
    }
    try {
      return Optional.of(
          MemberDirectory.groupIn(
              directory, Files.readString(directory.resolve(MemberDirectory.IDENTITY))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw MemberDirectory.unusable(directory, e);
    }
  }

  /**
   * Prepares the directory of a node that a leader will take up as a member.
   *
   * @param version of the members, among which this node is not yet
   * @throws VdfsException MISCONFIGURED where the directory is another's or can't be used
   */
  public static void invite(Path directory, UUID group, NodeId self, long version)
      throws VdfsException {
    try (MemberDirectory opened = MemberDirectory.open(directory, group, self)) {
      opened.note(MemberDirectory.INVITED, Long.toString(version));
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw MemberDirectory.unusable(directory, e);
    }
  }

  /** The version that was given when the node was invited; -1 for one that founded the group. */
  public static long invitedAt(Path directory) throws VdfsException {
    try {
      return Long.parseLong(Files.readString(directory.resolve(MemberDirectory.INVITED)).strip());
    } catch (NoSuchFileException e) {
      return FOUNDER;
    } catch (IOException | NumberFormatException e) {
      throw MemberDirectory.unusable(directory, e);
    }
  }

  /**
   * Puts the directory of a removed member aside, next to where it was; nothing is deleted, and
   * other users cannot look into it there either.
   *
   * @param version of the members without this node, which becomes part of the name
   * @return where it is now
   * @throws VdfsException MISCONFIGURED if it can't be moved, or a recovery of it was interrupted:
   *     its group may be given up, but what it holds goes on in another one
   */
  public static Path retire(Path directory, long version) throws VdfsException {
    MemberDirectory.requireNoRecovery(directory);
    String name = directory.getFileName() + ".removed-" + version;
    Path aside = directory.resolveSibling(name);
    for (int i = 2; Files.exists(aside); i++) {
      aside = directory.resolveSibling(name + "-" + i);
    }
    try {
      OwnerOnly.directory(directory);
      return Files.move(directory, aside, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw MemberDirectory.unusable(directory, e);
    }
  }
}
