package io.vdfs.datanode.store.volume;

import io.vdfs.common.store.CombinedFileHeader;
import java.nio.file.Path;

/** A data file as {@link OpenFiles} knows it, by identity. Thread-safe. */
public interface FileToOpen {
  /** Changes once for a file that was made ahead; the old name stays for a while then. */
  Path path();

  /** What the file must begin with. */
  CombinedFileHeader header();

  /** Whether it is being deleted, which is noted before its name goes. */
  boolean isDeleted();
}
