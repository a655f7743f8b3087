package io.vdfs.datanode.transfer;

import io.vdfs.datanode.local.LocalDelivery;
import io.vdfs.datanode.segment.SegmentDelivery;
import java.util.Optional;

/**
 * Ways to readers on this machine besides the socket. Immutable; closed by whoever opened them.
 *
 * @param local empty where nobody reads block files by himself
 * @param segments empty where there is no shared memory
 */
public record Deliveries(Optional<LocalDelivery> local, Optional<SegmentDelivery> segments) {
  /** The socket only. */
  public static final Deliveries NONE = new Deliveries(Optional.empty(), Optional.empty());
}
