package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The surroundings that attempts of lease recovery look at and work with.
 *
 * @param holders asks which nodes are on record with volumes that nobody gave up, whether they are
 *     in the ring map or not
 * @param probeLimit for a quick question to a node
 */
record RecoverySurroundings(
    ReplicaProbe probe,
    Supplier<Optional<RingMap>> ring,
    Supplier<CompletableFuture<Set<NodeId>>> holders,
    ClusterGeometry geometry,
    ServiceLoop loop,
    Duration probeLimit) {}
