package io.vdfs.client.io;

/** What a client's reading and writing did, counted from the start of the process. */
public enum IoCounter {
  BYTES_READ_LOCAL("bytes read from nodes on this machine"),
  BYTES_READ_REMOTE("bytes read from nodes on other machines"),
  READ_FAILOVERS("reads that went on at another replica"),
  CORRUPT_CHUNKS("chunks received that did not match their checksums"),
  BYTES_WRITTEN("bytes written by applications"),
  PIPELINES_OPENED("write pipelines opened"),
  PIPELINE_CHANGES("write epochs begun after a failure"),
  NODES_EXCLUDED("nodes left out of a file after a failure");

  private final String label;

  IoCounter(String label) {
    this.label = label;
  }

  public String label() {
    return label;
  }
}
