package io.vdfs.datanode.meta.state.settings;

/**
 * Bounds that keep one request, one inode or the call cache from taking the state over. Immutable.
 *
 * <p><b>Must</b> be the same on every replica: they take part in how log entries are executed.
 *
 * @param pathLength characters of a path
 * @param componentBytes UTF-8 bytes of one name in it
 * @param pathDepth names in it
 * @param fileLength bytes of a file
 * @param replication copies that may be asked for
 * @param exclusions excluded ranges kept for one file, adjoining ones counted as one: a writer gets
 *     there only by that many separate failures
 * @param xattrs extended attributes of one inode
 * @param xattrBytes name and value of one of them
 * @param pageEntries entries of one answer, of whatever list
 * @param pageBytes size at which an answer ends early
 * @param walkEntries names visited while checking whether a tree may be deleted
 * @param calls responses kept for retries
 * @param callBytes size of those responses in all
 * @param callMillis log time for which a response is kept
 * @param deletions entries of the deletion queue
 * @param deletionMillis log time for which a deletion waits for nodes that don't carry it out
 */
public record MetadataLimits(
    int pathLength,
    int componentBytes,
    int pathDepth,
    long fileLength,
    int replication,
    int exclusions,
    int xattrs,
    int xattrBytes,
    int pageEntries,
    int pageBytes,
    int walkEntries,
    int calls,
    long callBytes,
    long callMillis,
    int deletions,
    long deletionMillis) {
  /** Where HDFS has a limit, it is HDFS's default. */
  public static final MetadataLimits DEFAULT =
      new MetadataLimits(
          8_000,
          255,
          1_000,
          1L << 50,
          512,
          16_384,
          32,
          16_384,
          1_000,
          1 << 20,
          1_000_000,
          100_000,
          64L << 20,
          600_000,
          1_000_000,
          604_800_000);

  /** The same with other bounds of the deletion queue. */
  public MetadataLimits withDeletions(int entries, long millis) {
    return new MetadataLimits(
        pathLength,
        componentBytes,
        pathDepth,
        fileLength,
        replication,
        exclusions,
        xattrs,
        xattrBytes,
        pageEntries,
        pageBytes,
        walkEntries,
        calls,
        callBytes,
        callMillis,
        entries,
        millis);
  }
}
