package io.vdfs.client.ledger;

import io.vdfs.common.model.StreamId;

/**
 * A task of a job as the ledger knows it. Immutable.
 *
 * @param ordinal of its logical split, from 0
 */
public record StreamTask(StreamId stream, int ordinal) {
  @Override
  public String toString() {
    return stream + "/" + ordinal;
  }
}
