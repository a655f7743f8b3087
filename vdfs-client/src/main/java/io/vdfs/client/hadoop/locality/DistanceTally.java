package io.vdfs.client.hadoop.locality;

import io.vdfs.client.io.ReadTally;
import io.vdfs.client.io.replica.ReplicaNode;
import java.util.Optional;
import org.apache.hadoop.fs.FileSystem;

/**
 * Counts what one stream reads by the distance of the nodes: in Hadoop's statistics, and for a
 * caller that wants to know it of that stream. Thread-safe.
 *
 * @param locality empty if there is no such caller
 */
public record DistanceTally(
    NodeDistances distances, FileSystem.Statistics statistics, Optional<ReadLocality> locality)
    implements ReadTally {
  @Override
  public void onRead(ReplicaNode node, int bytes) {
    int distance = distances.to(node);
    statistics.incrementBytesReadByDistance(distance, bytes);
    locality.ifPresent(wanted -> wanted.add(distance, bytes));
  }
}
