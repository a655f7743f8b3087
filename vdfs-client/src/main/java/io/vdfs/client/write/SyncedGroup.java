package io.vdfs.client.write;

import io.vdfs.common.model.NodeId;
import java.util.List;

/**
 * A group that a writer has finished. Immutable.
 *
 * @param nodes that have it, and have fsynced it where the writer asked for that
 * @param checksum CRC32C of all bytes of the file in the group; 0: not known
 */
public record SyncedGroup(List<NodeId> nodes, int checksum) {
  public SyncedGroup {
    nodes = List.copyOf(nodes);
  }
}
