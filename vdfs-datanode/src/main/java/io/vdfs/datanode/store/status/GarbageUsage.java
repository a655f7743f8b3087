package io.vdfs.datanode.store.status;

/**
 * The garbage that is kept: files that are not needed any more.
 *
 * @param files combined files
 * @param bytes of their data
 */
public record GarbageUsage(long files, long bytes) {
  public static final GarbageUsage NONE = new GarbageUsage(0, 0);

  public GarbageUsage plus(GarbageUsage other) {
    return new GarbageUsage(files + other.files, bytes + other.bytes);
  }
}
