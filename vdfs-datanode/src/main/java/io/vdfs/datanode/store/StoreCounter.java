package io.vdfs.datanode.store;

/** What a block store counts. */
public enum StoreCounter {
  READS("reads"),
  READ_BYTES("bytes read"),
  DISCONTINUITIES("reads that did not continue where the volume's last one ended"),
  LONGEST_RUN("bytes of the longest run of continuous reads"),
  READS_REFUSED("reads refused because the volume's queue was full"),
  READ_QUEUE("reads waiting"),
  CORRUPT_CHUNKS("chunks that differed from their checksum on disk"),
  REFUSED_CHUNKS("chunks received that differed from their checksum"),
  APPENDS("packets stored"),
  WRITTEN_BYTES("bytes written to blocks"),
  CHECKPOINTS("footers written to make bytes survive the process"),
  SYNCS("forces asked for by writers"),
  BACKGROUND_FORCES("forces done ahead in the background"),
  FAILED_WRITES("writes and forces that failed"),
  INDEX_GROWTHS("times the block index was rebuilt larger"),
  OPEN_FILES("combined files open");

  private final String label;

  StoreCounter(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}
