package io.vdfs.client.io.replica;

import io.vdfs.common.model.FileKey;
import java.util.List;

/**
 * Where groups lie, by the newest ring map the client has. Thread-safe and quick: never blocks, may
 * answer from a newer map at each call.
 */
public interface GroupPlaces {
  /** Serving nodes of the group: owner, successor, predecessor, further ones. */
  List<ReplicaNode> replicas(FileKey file, int group);

  /** Epoch of the ring map. */
  long ringEpoch();

  /** Nodes that the list of a group has, unless it lost some and others are not ready yet. */
  int copies();
}
