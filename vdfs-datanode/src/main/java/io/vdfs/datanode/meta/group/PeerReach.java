package io.vdfs.datanode.meta.group;

import io.vdfs.common.cluster.record.MetadataMember;
import java.util.List;

/** Which members of the group can be reached from here, for messages. Thread-safe. */
@FunctionalInterface
public interface PeerReach {
  /**
   * Says in words which members answer and which do not, as found out lately; finds out again in
   * the background. Never blocks.
   */
  String describe(List<MetadataMember> members);
}
