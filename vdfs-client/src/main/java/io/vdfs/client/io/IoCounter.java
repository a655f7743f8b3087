package io.vdfs.client.io;

/** Counters of a client's reading and writing, from the start of the process. */
public enum IoCounter {
  BYTES_READ_LOCAL("bytes read from nodes on this machine"),
  BYTES_READ_REMOTE("bytes read from nodes on other machines"),
  BYTES_BY_LOCAL_DELIVERY("bytes read from block files of this machine's node"),
  BYTES_FETCHED_FROM_DISK(
      "bytes that the disk had to give for own reads of block files, as memory had them no more"),
  BYTES_BY_SEGMENT("bytes read from shared memory of this machine's node"),
  BYTES_BY_SOCKET("bytes read over the network"),
  BYTES_READ_AHEAD("bytes fetched before anybody asked for them"),
  BYTES_DIGESTED_BY_NODES("bytes that nodes made checksums of, which did not travel"),
  LOCAL_FILES_OPENED("block files opened"),
  LOCAL_EARLY_GRANTS("ranges begun to be read from block files by a grant that was there already"),
  LOCAL_FALLBACKS("reads that turned from the block file to another way of the same node"),
  LOCAL_SUSPENSIONS("times that block files were left alone as too much came from the disk"),
  SEGMENT_FALLBACKS("reads that turned from shared memory to another way"),
  READ_FAILOVERS("reads that went on at another replica"),
  READ_WAITS("pauses of reads that no replica could serve, for nodes to come back"),
  CORRUPT_CHUNKS("chunks that nodes were asked for and that did not match their checksums"),
  DOUBTS_TOLD("blocks that came damaged, or not at all from the disk, of which the node was told"),
  BYTES_WRITTEN("bytes written by applications"),
  PIPELINES_OPENED("write pipelines opened"),
  PIPELINE_CHANGES("write epochs begun after a failure"),
  STALE_TICKETS("pipelines opened again as a node asked for a fresher ticket"),
  FAILED_TRIES("tries of nodes by writers that failed"),
  NODES_EXCLUDED("nodes left out of a group after a failed try"),
  NODES_PASSED_OVER("nodes left out of a group untried, as a spare took their copy"),
  PROGRESS_RECORDS("records of groups that are whole, and of the first flush of a group"),
  MEMORY_WAITS("times that a writer waited for its nodes, as the memory for buffers was used up"),
  READS_CUT_SHORT("requests made smaller, or not ahead, as the memory for buffers was used up");

  private final String label;

  IoCounter(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}
