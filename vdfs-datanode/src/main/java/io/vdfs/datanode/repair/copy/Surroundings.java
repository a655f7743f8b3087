package io.vdfs.datanode.repair.copy;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * The parts of the node that repair looks at and works with.
 *
 * @param self this node
 * @param probe asks other nodes
 * @param own what this node holds
 * @param ring as it is published; may be behind what is recorded
 * @param live nodes that are alive as far as it is known here
 * @param loop of repair alone
 * @param workers run what may block, several at a time
 * @param looks runs the looks at the volumes, which nothing else must hold up
 */
public record Surroundings(
    NodeId self,
    ReplicaProbe probe,
    OwnGroups own,
    Supplier<Optional<RingMap>> ring,
    Supplier<Set<NodeId>> live,
    ClusterGeometry geometry,
    ServiceLoop loop,
    Executor workers,
    Executor looks) {
  /** The same with other workers. */
  public Surroundings with(Executor others) {
    return new Surroundings(self, probe, own, ring, live, geometry, loop, others, looks);
  }
}
