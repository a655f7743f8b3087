package io.vdfs.client.write;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * What one writer asks of the metadata service, bound to the client's lease holder id. Calls block
 * with a limit and retry by themselves; a call that failed happened or not.
 */
public interface WriteCoordinator {
  /**
   * Records nodes that are left out of a group, and begins a new write epoch. With no node left out
   * it only begins a new epoch.
   *
   * @param writeEpoch the writer's current one
   * @param leftOut the nodes by group
   * @param length acknowledged by every node of the pipeline so far
   * @return the new write epoch
   * @throws io.vdfs.common.error.VdfsException FENCED if the lease or the epoch is over
   */
  int changePipeline(FileKey file, int writeEpoch, Map<Integer, List<NodeId>> leftOut, long length)
      throws IOException;

  /**
   * The ticket that nodes ask of the writer: the one that came with its write epoch.
   *
   * @param writeEpoch the writer's current one
   */
  WriteTicketProto ticket(FileKey file, int writeEpoch);

  /**
   * Records how far the writer has come: other processes see that the file is at least so long, and
   * these groups are not asked for again.
   *
   * @param flushed bytes of the file that every node of its pipelines has
   * @param synced whole groups that are not recorded yet, the first such one first; may be empty
   * @throws io.vdfs.common.error.VdfsException FENCED if the lease or the epoch is over
   */
  void recordProgress(FileKey file, int writeEpoch, long flushed, Map<Integer, SyncedGroup> synced)
      throws IOException;

  /**
   * Reports how many bytes readers can see, within about a second and at best effort. Does not
   * block.
   */
  void flushed(FileKey file, long length);

  /**
   * Closes the file.
   *
   * @param synced the groups that were written and are not recorded yet
   * @param unforced whether the nodes of the last group need only have received it
   * @throws io.vdfs.common.error.VdfsException FENCED if the lease or the epoch is over
   */
  void complete(
      FileKey file,
      int writeEpoch,
      long length,
      long ringEpoch,
      Map<Integer, SyncedGroup> synced,
      boolean unforced)
      throws IOException;
}
