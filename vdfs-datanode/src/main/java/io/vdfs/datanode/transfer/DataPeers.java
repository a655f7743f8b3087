package io.vdfs.datanode.transfer;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.security.WriteTickets;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * A data port's knowledge of the nodes of its cluster. Immutable; its parts are thread-safe.
 *
 * @param tickets of writers
 * @param proofs of nodes
 * @param addresses where a node's data port is now, empty if the node was never seen; quick
 */
public record DataPeers(
    UUID cluster,
    NodeId self,
    WriteTickets tickets,
    NodeProofs proofs,
    Function<NodeId, Optional<DataAddress>> addresses) {

  /**
   * The address of a node that a peer names: by its id alone, as no peer may have this node connect
   * elsewhere.
   *
   * @throws VdfsException UNAVAILABLE naming the node
   */
  public DataAddress address(NodeId node) throws VdfsException {
    return addresses
        .apply(node)
        .orElseThrow(
            () ->
                new VdfsException(
                    ErrorCode.UNAVAILABLE,
                    "node has no address that is known here: node=" + node + ", here=" + self));
  }
}
