package io.vdfs.datanode.ledger.state;

import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The streams none of whose tasks has drawn yet and for which not enough tasks of others have
 * yielded, in the order in which they were sealed. Follows from the streams, so that no snapshot
 * needs it. Confined to the ledger's owner.
 */
public final class WaitingStreams {
  private final NavigableMap<StreamArrival, StreamState> streams = new TreeMap<>();

  /** Takes a stream's present state into account. */
  void update(StreamState stream) {
    if (stream.waits() && stream.needsRoom()) {
      streams.put(stream.arrival(), stream);
    } else {
      remove(stream);
    }
  }

  void remove(StreamState stream) {
    streams.remove(stream.arrival());
  }

  /** The first one that did not arrive before {@code arrival}. */
  public Optional<StreamState> firstFrom(StreamArrival arrival) {
    return Optional.ofNullable(streams.ceilingEntry(arrival)).map(Map.Entry::getValue);
  }
}
