package io.vdfs.datanode.meta.service.ring;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.datanode.meta.ring.RingPatience;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The surroundings that the leader needs to keep the ring map. Immutable.
 *
 * @param live what the nodes alive publish; empty while it can't be seen
 * @param members of the metadata group
 * @param replication copies that the cluster was formatted with
 * @param figures told what the leader sees
 */
public record RingKeeping(
    Supplier<Optional<Collection<RingNode>>> live,
    Supplier<Set<NodeId>> members,
    int replication,
    RingPatience patience,
    RingFigures figures) {}
