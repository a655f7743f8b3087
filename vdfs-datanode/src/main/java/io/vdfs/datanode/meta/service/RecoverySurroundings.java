package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.RingMap;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** The surroundings that attempts of lease recovery look at and work with. */
record RecoverySurroundings(
    ReplicaProbe probe,
    Supplier<Optional<RingMap>> ring,
    ClusterGeometry geometry,
    ServiceLoop loop,
    Duration probeLimit) {}
