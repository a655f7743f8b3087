package io.vdfs.common.model;

/**
 * Names the content of a file for the block stores: an overwritten or re-created path gets a new
 * key, so that a block is never mistaken for one of an earlier content. Immutable.
 *
 * @param fileId inode number, positive and never used again
 * @param generation generation of the content within the inode, from 1
 */
public record FileKey(long fileId, int generation) implements Comparable<FileKey> {
  public FileKey {
    if (fileId <= 0 || generation <= 0) {
      throw new IllegalArgumentException(
          "fileId and generation must be positive: fileId=%s, generation=%s"
              .formatted(fileId, generation));
    }
  }

  // written out as those of NodeId, so that clients start sooner

  @Override
  public boolean equals(Object other) {
    return other instanceof FileKey key && key.fileId == fileId && key.generation == generation;
  }

  @Override
  public int hashCode() {
    return 31 * Long.hashCode(fileId) + generation;
  }

  @Override
  public int compareTo(FileKey other) {
    int byId = Long.compare(fileId, other.fileId);
    return byId != 0 ? byId : Integer.compare(generation, other.generation);
  }

  @Override
  public String toString() {
    return fileId + "." + generation;
  }
}
