package io.vdfs.common.segment;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.OptionalInt;

/**
 * Which slots of a segment are free on this side of it. A slot has one holder between {@link #take}
 * and {@link #give}; what a holder did before it gave the slot is visible to the next one.
 *
 * <pre>
 *             client's table                  node's table
 *   take      a reader wants a range          a request names the slot
 *   give      its bytes were copied out       the answer is on its way
 * </pre>
 *
 * <p>The client sends a request while it holds the slot, and the node answers once it holds it no
 * more, so that at most one of them touches the slot at a time. Each process has its own table, so
 * that a peer that dies cannot leave it locked. Thread-safe without locks; never blocks.
 */
public final class SlotTable {
  private static final VarHandle FREE;

  static {
    try {
      FREE = MethodHandles.lookup().findVarHandle(SlotTable.class, "free", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final int slots;

  /** Bit n is set while slot n is free; accessed by {@link #FREE} only. */
  @SuppressWarnings("unused")
  private long free;

  /** A table of free slots. */
  public SlotTable(SegmentLayout layout) {
    this.slots = layout.slots();
    FREE.setRelease(this, slots == Long.SIZE ? -1L : (1L << slots) - 1);
  }

  /** Takes the free slot of the lowest number, so that few readers keep to few slots. */
  public OptionalInt takeAny() {
    while (true) {
      long now = (long) FREE.getAcquire(this);
      if (now == 0) {
        return OptionalInt.empty();
      }
      long bit = Long.lowestOneBit(now);
      if (FREE.compareAndSet(this, now, now & ~bit)) {
        return OptionalInt.of(Long.numberOfTrailingZeros(bit));
      }
    }
  }

  /**
   * Takes a slot that a peer names.
   *
   * @return false if there is no such slot or it is not free
   */
  public boolean take(int slot) {
    if (slot < 0 || slot >= slots) {
      return false;
    }
    long bit = 1L << slot;
    return ((long) FREE.getAndBitwiseAndAcquire(this, ~bit) & bit) != 0;
  }

  /**
   * Gives a slot back; the caller touches it no more.
   *
   * @throws IllegalStateException if it is free: two holders believed that it was theirs
   */
  public void give(int slot) {
    long bit = 1L << slot;
    if (slot < 0 || slot >= slots || ((long) FREE.getAndBitwiseOrRelease(this, bit) & bit) != 0) {
      throw new IllegalStateException("slot is not taken: slot=" + slot + ", slots=" + slots);
    }
  }

  /** Number of free slots. */
  public int freeSlots() {
    return Long.bitCount((long) FREE.getAcquire(this));
  }
}
