package io.vdfs.datanode.repair.copy;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedGroup;
import java.nio.file.Path;
import java.util.OptionalInt;
import java.util.Set;

/** The groups that this node holds, as repair sees and changes them. Thread-safe. */
public interface OwnGroups {
  /** Bytes held of a group without a gap, from any writer. Never blocks. */
  long length(GroupKey group);

  /**
   * Whether this node holds that many bytes of a group, each block of them written or copied under
   * this epoch. Never blocks.
   */
  boolean isOf(GroupKey group, long length, int epoch);

  /**
   * CRC32C of so many bytes of a group from the first one on, by the checksums that came with them;
   * they are not read. Never blocks.
   *
   * @return empty if fewer are held, or the last one is in the middle of a chunk that goes on
   */
  OptionalInt checksum(GroupKey group, long length);

  /**
   * Fails early where no copy of the group could begin. Blocks.
   *
   * @throws VdfsException NO_SPACE
   */
  void requireRoom(GroupKey group) throws VdfsException;

  /**
   * Reads a group back. Blocks.
   *
   * @param mark length of the group; its block also gets a checksum of the bytes up to there
   */
  VerifiedGroup verify(GroupKey group, long mark) throws VdfsException;

  /**
   * Copies one block from another node, each chunk compared with its writer's checksum. What this
   * node had of it counts until the copy is on stable storage. Blocks.
   *
   * @param block number within the group
   * @param primary whether this node owns the group
   * @throws VdfsException FENCED if the file was deleted or has a later epoch here; NO_SPACE; else
   *     as the read at the source fails
   */
  void copyBlock(WantedGroup wanted, int block, NodeId source, boolean primary)
      throws VdfsException;

  /**
   * Drops what lies behind the group's length, and makes the rest durable. Blocks.
   *
   * @throws VdfsException FENCED as above
   */
  void cut(WantedGroup wanted) throws VdfsException;

  /**
   * Whether bytes of a group lie on a suspect volume, and another one could hold them. Never
   * blocks.
   */
  boolean isOnSuspectVolume(GroupKey group);

  /** Directories of the suspect volumes. Blocks. */
  Set<Path> suspectVolumes();

  /** Directories of the volumes that take no new groups. Blocks. */
  Set<Path> fullVolumes();
}
