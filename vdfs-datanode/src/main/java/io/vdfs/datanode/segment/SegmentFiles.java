package io.vdfs.datanode.segment;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Makes the files of segments. */
@FunctionalInterface
interface SegmentFiles {
  /** Files of this machine. */
  SegmentFiles REAL = SegmentFiles::createFile;

  /**
   * Makes an empty file that only its owner may read and write.
   *
   * @throws java.nio.file.FileAlreadyExistsException if anything has this name, a link too
   */
  SegmentFile create(Path path) throws IOException;

  private static SegmentFile createFile(Path path) throws IOException {
    return new ChannelSegmentFile(
        FileChannel.open(
            path,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
  }
}
