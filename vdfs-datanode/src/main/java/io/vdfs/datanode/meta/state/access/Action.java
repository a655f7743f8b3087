package io.vdfs.datanode.meta.state.access;

/** What a caller wants to do with an inode, as bits of a mode. */
public enum Action {
  EXECUTE(1),
  WRITE(2),
  READ(4),
  READ_EXECUTE(5),
  ALL(7);

  private final int bits;

  Action(int bits) {
    this.bits = bits;
  }

  int bits() {
    return bits;
  }
}
