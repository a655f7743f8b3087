package io.vdfs.client.io;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.transfer.DiskStoreFaults;
import io.vdfs.datanode.transfer.InMemoryBlockStore;
import io.vdfs.datanode.transfer.StoreFaults;
import java.util.UUID;

/** The stores in which the nodes of a test keep their bytes. */
enum StoreKind {
  /** A few maps that behave as a store should. */
  MODEL {
    @Override
    StoreFaults open(UUID cluster, NodeId node, ClusterGeometry geometry) {
      return new InMemoryBlockStore(geometry);
    }
  },

  /** The store of the daemons, on a disk in memory. */
  DISK {
    @Override
    StoreFaults open(UUID cluster, NodeId node, ClusterGeometry geometry) throws VdfsException {
      return new DiskStoreFaults(cluster, node, geometry);
    }
  };

  abstract StoreFaults open(UUID cluster, NodeId node, ClusterGeometry geometry)
      throws VdfsException;
}
