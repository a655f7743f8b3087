package io.vdfs.datanode.meta.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.LeaseRecord;

/**
 * A holder of leases: a client by the id that it chose, together with its user, so that no user
 * acts for another user's client. Immutable.
 */
public record LeaseHolder(ByteString id, String user) {
  static LeaseHolder of(LeaseRecord lease) {
    return new LeaseHolder(lease.getHolder(), lease.getUser());
  }
}
