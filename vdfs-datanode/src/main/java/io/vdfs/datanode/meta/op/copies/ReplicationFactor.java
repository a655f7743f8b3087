package io.vdfs.datanode.meta.op.copies;

import com.google.common.math.LongMath;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.datanode.meta.state.MetaPath;

/**
 * How many copies a file asks for, and how many of them count. Immutable.
 *
 * @param asked shown to users
 * @param counted the factor that quotas and sizes are computed with: no more than the ring's lists
 *     have nodes
 */
public record ReplicationFactor(int asked, int counted) {
  /**
   * @param ringCopies nodes of each list, 0 where not known yet
   */
  public static ReplicationFactor of(int asked, int ringCopies) {
    return new ReplicationFactor(asked, ringCopies == 0 ? asked : Math.min(asked, ringCopies));
  }

  public FileRecord.Builder ofNew(FileRecord.Builder file) {
    return file.setReplication(asked).setCountedCopies(counted);
  }

  /**
   * The file with this factor. Copies that count no longer are surplus: they stay where they are,
   * and count first if the factor is raised again.
   *
   * @throws VdfsException UNSUPPORTED if more copies would count of a file while it is written
   */
  public FileRecord ofOld(FileRecord file, MetaPath path) throws VdfsException {
    if (counted > file.getCountedCopies() && file.hasLease()) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED,
          ("a file gets no further copies while it is written, set them once it is closed:"
                  + " path=%s, copies=%s, asked=%s")
              .formatted(path, file.getCountedCopies(), asked));
    }
    int fewer = file.getCountedCopies() - counted;
    long surplus = LongMath.saturatedMultiply(fewer, file.getLength());
    return file.toBuilder()
        .setReplication(asked)
        .setCountedCopies(counted)
        .setSurplusBytes(Math.max(0, LongMath.saturatedAdd(file.getSurplusBytes(), surplus)))
        .build();
  }
}
