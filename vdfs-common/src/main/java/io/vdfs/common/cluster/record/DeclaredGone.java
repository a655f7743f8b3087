package io.vdfs.common.cluster.record;

import io.vdfs.common.model.NodeId;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * What operators declared gone, as the metadata leader published it. Immutable.
 *
 * @param nodes others may start with empty disks where these stood
 * @param volumes an empty directory of their node may become a new volume
 */
public record DeclaredGone(Set<NodeId> nodes, Set<UUID> volumes) {
  public static final DeclaredGone NONE = new DeclaredGone(Set.of(), Set.of());

  public DeclaredGone {
    nodes = Collections.unmodifiableSet(new TreeSet<>(nodes));
    volumes = Collections.unmodifiableSet(new TreeSet<>(volumes));
  }
}
