package io.vdfs.client.read;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.replica.FileView;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The ways to the groups of one file as it was seen. Those to a group are found once for the blocks
 * that are read one after the other, and anew after a second, or where a node failed or the ring
 * changed. Thread-safe.
 */
final class ReadWays {
  /** How long ways can be used: by then nodes may be up again, or near. */
  static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ClientIo io;
  private final FileView view;
  private final LongSupplier nanoClock;
  private volatile Found last;

  /** What was true before the ways were found. */
  private record Found(
      int group, long ringEpoch, long nodeFailures, long since, List<ReadWay> ways) {}

  ReadWays(ClientIo io, FileView view, LongSupplier nanoClock) {
    this.io = io;
    this.view = view;
    this.nanoClock = nanoClock;
  }

  static ReadWays of(ClientIo io, FileView view) {
    return new ReadWays(io, view, io::nanoTime);
  }

  FileView view() {
    return view;
  }

  /** In the order in which they are tried, as {@link ReadWay#of} has them; unmodifiable. */
  List<ReadWay> to(int group) {
    long ringEpoch = io.placement().ringEpoch();
    long nodeFailures = io.nodeFailures();
    long now = nanoClock.getAsLong();
    Found found = last;
    boolean holds =
        found != null
            && found.group() == group
            && found.ringEpoch() == ringEpoch
            && found.nodeFailures() == nodeFailures
            && now - found.since() < AGE_NANOS;
    if (!holds) {
      List<ReadWay> ways = List.copyOf(ReadWay.of(io, view, group));
      found = new Found(group, ringEpoch, nodeFailures, now, ways);
      last = found;
    }
    return found.ways();
  }
}
