package io.vdfs.client.trace;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * A bounded queue from any thread to one writer. Where it is full, records are dropped and counted;
 * no caller ever waits or takes a lock. All places are made at the start, so that a record costs no
 * memory.
 */
final class TraceQueue {
  private static final VarHandle TAIL;
  private static final VarHandle HEAD;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      TAIL = lookup.findVarHandle(TraceQueue.class, "tail", long.class);
      HEAD = lookup.findVarHandle(TraceQueue.class, "head", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final TraceSlot[] slots;
  private final int mask;
  private final TraceSlot discarded = new TraceSlot(false);
  private final LongAdder dropped = new LongAdder();

  /** The next place to claim. */
  @SuppressWarnings("unused") // through TAIL
  private volatile long tail;

  /** The next place to read; all before it are free. */
  private volatile long head;

  /**
   * @param capacity a power of two
   */
  TraceQueue(int capacity) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("the capacity is a power of two: capacity=" + capacity);
    }
    slots = new TraceSlot[capacity];
    for (int i = 0; i < capacity; i++) {
      slots[i] = new TraceSlot(true);
    }
    mask = capacity - 1;
  }

  /** A place to fill and publish; if none is free, one whose record is dropped. */
  TraceSlot claim() {
    long position;
    do {
      position = (long) TAIL.getOpaque(this);
      if (position - head >= slots.length) {
        dropped.increment();
        return discarded;
      }
    } while (!TAIL.compareAndSet(this, position, position + 1));
    return slots[(int) position & mask].claim(position);
  }

  /**
   * Hands published records to the writer, in order, up to the first place that is still being
   * filled. For the writer only.
   *
   * @return how many records
   */
  int drain(Consumer<TraceSlot> writer) {
    long next = head;
    int drained = 0;
    while (drained < slots.length) {
      TraceSlot slot = slots[(int) next & mask];
      if (!slot.isPublished(next)) {
        break;
      }
      writer.accept(slot);
      slot.path = null;
      slot.target = null;
      slot.thread = null;
      next++;
      drained++;
      HEAD.setRelease(this, next);
    }
    return drained;
  }

  /** Records that found no room. */
  long dropped() {
    return dropped.sum();
  }
}
