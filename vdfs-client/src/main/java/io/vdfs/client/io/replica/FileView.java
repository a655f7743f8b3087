package io.vdfs.client.io.replica;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.LeaseBoundProto;
import io.vdfs.common.wire.proto.StatusProto;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What the metadata said of a file's content at one moment. Immutable.
 *
 * @param length as recorded; what is written after it is found by asking the replicas
 * @param open a writer holds the file
 * @param writeEpoch epoch of the current or last writer
 * @param replication copies that the file asks for; counts as no more than its lists have nodes
 * @param lease what counts behind {@code length} where the file is open; NONE where it is not
 * @param closeUnforced whether a writer may close it without forcing it
 * @param leaseStartChecksum to a writer that goes on in the middle of a group: CRC32C of what the
 *     file has there; 0: not known
 */
public record FileView(
    FileKey file,
    long length,
    boolean open,
    int writeEpoch,
    int replication,
    List<Exclusion> exclusions,
    LeaseBound lease,
    boolean closeUnforced,
    int leaseStartChecksum) {
  public FileView {
    exclusions = List.copyOf(exclusions);
  }

  /** Of a file that is forced when it is closed, to anyone but a writer that goes on with it. */
  public FileView(
      FileKey file,
      long length,
      boolean open,
      int writeEpoch,
      int replication,
      List<Exclusion> exclusions,
      LeaseBound lease) {
    this(file, length, open, writeEpoch, replication, exclusions, lease, false, 0);
  }

  /** Of a file that was not written before its present writer, or that is closed. */
  public FileView(
      FileKey file,
      long length,
      boolean open,
      int writeEpoch,
      int replication,
      List<Exclusion> exclusions) {
    this(file, length, open, writeEpoch, replication, exclusions, LeaseBound.NONE);
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT if the message is not the status of a file
   */
  public static FileView of(StatusProto status) throws VdfsException {
    List<Exclusion> exclusions = new ArrayList<>();
    for (ExclusionProto exclusion : status.getExclusionsList()) {
      exclusions.add(Exclusion.of(exclusion));
    }
    return new FileView(
        new FileKey(status.getInodeId(), status.getGeneration()),
        status.getLength(),
        status.getUnderConstruction(),
        status.getWriteEpoch(),
        status.getReplication(),
        exclusions,
        WireIds.leaseBound(
            LeaseBoundProto.newBuilder()
                .setStartLength(status.getLeaseStartLength())
                .setFirstEpoch(status.getLeaseFirstEpoch())
                .build()),
        status.getCloseUnforced(),
        status.getLeaseStartChecksum());
  }

  public boolean excludes(NodeId node, int group) {
    // without a stream, as each block read comes here
    for (Exclusion exclusion : exclusions) {
      if (exclusion.covers(node, group)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The nodes that keep a group, by what is recorded.
   *
   * @param serving the group's list, in its order
   */
  public GroupReplicas replicas(List<ReplicaNode> serving, int group) {
    List<NodeId> list = new ArrayList<>(serving.size());
    Set<NodeId> leftOut = new HashSet<>();
    for (ReplicaNode node : serving) {
      list.add(node.id());
      if (excludes(node.id(), group)) {
        leftOut.add(node.id());
      }
    }
    return GroupReplicas.of(list, replication, leftOut);
  }
}
