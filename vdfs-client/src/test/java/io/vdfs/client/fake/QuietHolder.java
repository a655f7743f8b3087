package io.vdfs.client.fake;

import io.vdfs.client.meta.ClientLeases;
import java.util.UUID;

/** Holds leases and does not report how much is flushed. Immutable. */
public record QuietHolder(UUID holder) implements ClientLeases {
  /** A holder with an id of its own. */
  public QuietHolder() {
    this(UUID.randomUUID());
  }

  @Override
  public void flushed(long fileId, long length) {
    // not reported
  }
}
