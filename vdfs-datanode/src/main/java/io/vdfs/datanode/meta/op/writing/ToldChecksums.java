package io.vdfs.datanode.meta.op.writing;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LeaseRecord;
import io.vdfs.datanode.meta.state.GroupLengths;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The checksums of a file's groups as its writers told them, in its record: see {@code
 * FileRecord.group_checksums}. Immutable.
 */
record ToldChecksums(FileRecord content, ClusterGeometry geometry) {
  /** Those of the file once its writer has written groups, of which it may not tell a checksum. */
  List<Integer> with(List<GroupSyncProto> written) {
    if (written.isEmpty()) {
      return content.getGroupChecksumsList();
    }
    List<Integer> checksums = new ArrayList<>(content.getGroupChecksumsList());
    for (GroupSyncProto group : written) {
      int missing = group.getGroup() + 1 - checksums.size();
      checksums.addAll(Collections.nCopies(Math.max(0, missing), 0));
      checksums.set(group.getGroup(), group.getChecksum());
    }
    while (!checksums.isEmpty() && checksums.get(checksums.size() - 1) == 0) {
      checksums.remove(checksums.size() - 1);
    }
    return checksums;
  }

  /**
   * Those of the file once a recovery has closed it with so many bytes: nobody knows what its
   * writer sent in a group that it did not tell of.
   */
  List<Integer> recovered(long length) {
    int told = GroupLengths.wholeGroups(content, geometry);
    boolean asBefore = length == content.getLease().getStartLength() && isStartUntouched();
    int known = asBefore ? geometry.groupCount(length) : Math.min(told, geometry.groupAt(length));
    List<Integer> checksums = content.getGroupChecksumsList();
    return checksums.subList(0, Math.min(known, checksums.size()));
  }

  /** What a writer goes on with that begins in the middle of a group; 0: not known. */
  int ofStart() {
    long start = content.getLease().getStartLength();
    int group = geometry.groupAt(start);
    boolean known =
        start % geometry.groupSize() != 0
            && isStartUntouched()
            && group < content.getGroupChecksumsCount();
    return known ? content.getGroupChecksums(group) : 0;
  }

  /** Whether the group in which the lease began is not recorded as whole since. */
  private boolean isStartUntouched() {
    LeaseRecord lease = content.getLease();
    return lease.getRecordedGroups() <= geometry.groupAt(lease.getStartLength());
  }
}
