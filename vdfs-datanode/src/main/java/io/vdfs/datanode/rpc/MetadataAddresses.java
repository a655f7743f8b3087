package io.vdfs.datanode.rpc;

import io.vdfs.common.model.NodeId;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/** Where the members of the metadata group take control calls now. Thread-safe, never blocks. */
public interface MetadataAddresses {
  List<NodeId> members();

  /** Empty where the node's address isn't known. */
  Optional<InetSocketAddress> controlAddress(NodeId node);
}
