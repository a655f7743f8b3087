package io.vdfs.datanode.transfer;

import io.vdfs.datanode.local.LocalDelivery;
import io.vdfs.datanode.shm.RingDelivery;
import java.util.Optional;

/**
 * Ways to readers on this machine besides the socket. Immutable; closed by whoever opened them.
 *
 * @param local empty where nobody reads block files by himself
 * @param ring empty where there is no shared memory
 */
public record Deliveries(Optional<LocalDelivery> local, Optional<RingDelivery> ring) {
  /** The socket only. */
  public static final Deliveries NONE = new Deliveries(Optional.empty(), Optional.empty());
}
