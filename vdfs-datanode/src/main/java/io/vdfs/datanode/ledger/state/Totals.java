package io.vdfs.datanode.ledger.state;

import io.vdfs.common.wire.proto.StreamTotals;

/** Count, bytes and digest of a set of blocks; sums of disjoint sets add up. Immutable. */
public record Totals(long blocks, long bytes, long digest) {
  /** The totals of no block. */
  public static final Totals NONE = new Totals(0, 0, 0);

  /** Reads totals from a message. */
  public static Totals of(StreamTotals message) {
    return new Totals(message.getBlocks(), message.getBytes(), message.getDigest());
  }

  /** The totals of both sets together, which must have no block in common. */
  public Totals plus(Totals other) {
    return new Totals(blocks + other.blocks, bytes + other.bytes, digest + other.digest);
  }

  /** The totals as a message. */
  public StreamTotals toMessage() {
    return StreamTotals.newBuilder().setBlocks(blocks).setBytes(bytes).setDigest(digest).build();
  }

  @Override
  public String toString() {
    return "blocks=" + blocks + ", bytes=" + bytes + ", digest=" + Long.toHexString(digest);
  }
}
