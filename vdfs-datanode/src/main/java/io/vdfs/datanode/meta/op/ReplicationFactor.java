package io.vdfs.datanode.meta.op;

import com.google.common.math.LongMath;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.datanode.meta.state.MetaPath;

/**
 * How many copies a file asks for, and how many of them count. Immutable.
 *
 * @param asked shown to users
 * @param counted what quotas and sizes are reckoned with: no more than the ring's lists have nodes
 */
record ReplicationFactor(int asked, int counted) {
  /**
   * @param ringCopies nodes of each list, 0 where nobody knows yet
   */
  static ReplicationFactor of(int asked, int ringCopies) {
    return new ReplicationFactor(asked, ringCopies == 0 ? asked : Math.min(asked, ringCopies));
  }

  FileRecord.Builder ofNew(FileRecord.Builder file) {
    return file.setReplication(asked).setCountedCopies(counted);
  }

  /**
   * The file with this factor. What counts no longer is surplus: it stays where it is.
   *
   * @throws VdfsException UNSUPPORTED if more copies would count than were written
   */
  FileRecord ofOld(FileRecord file, MetaPath path) throws VdfsException {
    if (counted > file.getCountedCopies() && !isUnwritten(file)) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          "nothing makes further copies of what is written yet, copy the file instead: path="
              + path
              + ", copies="
              + file.getCountedCopies()
              + ", asked="
              + asked);
    }
    int fewer = Math.max(0, file.getCountedCopies() - counted);
    long surplus = LongMath.saturatedMultiply(fewer, file.getLength());
    return file.toBuilder()
        .setReplication(asked)
        .setCountedCopies(counted)
        .setSurplusBytes(LongMath.saturatedAdd(file.getSurplusBytes(), surplus))
        .build();
  }

  /** A writer goes on with the factor that it began with, so an open file counts as written. */
  private static boolean isUnwritten(FileRecord file) {
    return file.getLength() == 0 && !file.hasLease();
  }
}
