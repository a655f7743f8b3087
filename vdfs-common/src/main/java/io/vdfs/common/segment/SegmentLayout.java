package io.vdfs.common.segment;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;

/**
 * Where the slots of a segment lie. Immutable.
 *
 * <pre>
 *   0            slotBytes      2 * slotBytes        slots * slotBytes
 *   +------------+--------------+-- ... -------------+
 *   | slot 0     | slot 1       |                    |
 *   +------------+--------------+-- ... -------------+
 * </pre>
 *
 * <p>A slot holds bytes of one block from its first byte on and nothing else. What it holds, how
 * much of it, the checksums and whose the slot is travel over the connection: the file is written
 * by the node and read by the client, and neither believes anything that stands in it.
 */
public record SegmentLayout(int slots, int slotBytes) {
  /** Most slots, so that a {@link SlotTable} is one word. */
  public static final int MAX_SLOTS = Long.SIZE;

  /** Most bytes of a slot. */
  public static final int MAX_SLOT_BYTES = 64 << 20;

  public SegmentLayout {
    if (!isSound(slots, slotBytes)) {
      throw new IllegalArgumentException(message(slots, slotBytes));
    }
  }

  /**
   * A layout that a peer tells of.
   *
   * @param slots as an unsigned number
   * @param slotBytes as an unsigned number
   * @throws VdfsException INVALID_ARGUMENT if it is out of range
   */
  public static SegmentLayout ofPeer(int slots, int slotBytes) throws VdfsException {
    if (!isSound(slots, slotBytes)) {
      throw new VdfsException(ErrorCode.INVALID_ARGUMENT, message(slots, slotBytes));
    }
    return new SegmentLayout(slots, slotBytes);
  }

  private static boolean isSound(int slots, int slotBytes) {
    return slots >= 1 && slots <= MAX_SLOTS && slotBytes >= 1 && slotBytes <= MAX_SLOT_BYTES;
  }

  private static String message(int slots, int slotBytes) {
    return "segment layout out of range: slots=%s, slotBytes=%s, max slots=%s, max slotBytes=%s"
        .formatted(slots, slotBytes, MAX_SLOTS, MAX_SLOT_BYTES);
  }

  /** Size of the segment. */
  public long bytes() {
    return (long) slots * slotBytes;
  }

  /** Where a slot begins. */
  public long position(int slot) {
    return (long) slot * slotBytes;
  }
}
