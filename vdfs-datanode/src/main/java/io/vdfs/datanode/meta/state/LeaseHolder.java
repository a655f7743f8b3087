package io.vdfs.datanode.meta.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.LeaseRecord;

/**
 * Who holds leases: a client by the id that it chose, together with its user, so that nobody acts
 * for another one's client. Immutable.
 */
public record LeaseHolder(ByteString id, String user) {
  static LeaseHolder of(LeaseRecord lease) {
    return new LeaseHolder(lease.getHolder(), lease.getUser());
  }
}
