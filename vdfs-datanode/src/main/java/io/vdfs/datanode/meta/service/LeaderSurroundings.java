package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.RingMap;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import io.vdfs.datanode.meta.service.ring.RingKeeping;
import io.vdfs.datanode.meta.state.FlushedLengths;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The surroundings that the leader's services look at.
 *
 * @param probe reaches the replicas of files
 * @param ring the newest ring map known here
 * @param flushed keeps what writers tell of the lengths of their files
 * @param keeping surroundings by which the ring map follows the nodes
 */
public record LeaderSurroundings(
    ReplicaProbe probe,
    Supplier<Optional<RingMap>> ring,
    ClusterGeometry geometry,
    LeaseSettings leases,
    FlushedLengths flushed,
    RingKeeping keeping) {}
