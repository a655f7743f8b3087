package io.vdfs.datanode.store.volume;

import java.io.IOException;
import java.nio.file.Path;

/** The use of a pair of {@link BlankFiles}: a combined file that needs names of its own. */
public interface BlankUse {
  /** The outcome of an attempt to link the own names. */
  enum Linking {
    /** They are there, and not forced yet. */
    DONE,
    /** The combined file was deleted, or is being. */
    GONE,
    /** Something is being written, or an attempt failed: to be tried again. */
    LATER
  }

  /** Gives the combined file its own names beside those of the blank files. */
  Linking link();

  /** The directory of the own names, once they are linked. */
  Path directory();

  /** Takes the names of the blank files away, once the own ones survive a power cut. */
  void dropBlankNames() throws IOException;

  /** The names of the blank files do not come back any more. */
  void onRenamed();
}
