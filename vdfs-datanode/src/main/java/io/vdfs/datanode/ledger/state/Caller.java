package io.vdfs.datanode.ledger.state;

import java.util.Objects;

/**
 * The user that asks, as authenticated by the server. Immutable.
 *
 * @param superuser may act on the streams of every user
 */
public record Caller(String user, boolean superuser) {
  public Caller {
    Objects.requireNonNull(user, "user");
  }
}
