package io.vdfs.client.fake;

import io.vdfs.client.meta.ClientLeases;
import java.util.UUID;

/** Holds leases and tells nobody how much is flushed. Immutable. */
public record QuietHolder(UUID holder) implements ClientLeases {
  /** One that nobody else is. */
  public QuietHolder() {
    this(UUID.randomUUID());
  }

  @Override
  public void flushed(long fileId, long length) {
    // nobody asks
  }
}
