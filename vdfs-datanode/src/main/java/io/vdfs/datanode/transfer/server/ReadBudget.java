package io.vdfs.datanode.transfer.server;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * Bounds the bytes held for readers; requests that do not fit wait in line. Hosts take turns, so
 * that none waits behind all that another one asks for, and a host that is limited holds no more
 * than a share. A request larger than the whole budget, or share, is let in alone. Thread-safe: the
 * monitor guards all fields; grants run outside it, on the thread that asked or released.
 */
final class ReadBudget {
  private static final int HOSTS = 4;

  private record Waiter(long bytes, Runnable granted) {}

  private final long capacity;
  private final long share;

  /** The requests of each host in their order; the host whose turn it is comes first. */
  private final Map<PeerHost, Queue<Waiter>> lines = new LinkedHashMap<>();

  private final Map<PeerHost, Long> usedBy = new HashMap<>();
  private long used;

  ReadBudget(long capacity) {
    this(capacity, capacity / HOSTS);
  }

  /**
   * @param share that a limited host may hold
   */
  private ReadBudget(long capacity, long share) {
    this.capacity = capacity;
    this.share = share;
  }

  /** A budget of one peer. */
  static ReadBudget unshared(long capacity) {
    return new ReadBudget(capacity, capacity);
  }

  /**
   * As much as wanted, but no more than half of the memory that buffers may take: the rest is for
   * writers, for the disks' reader threads and for what the pool of buffers keeps.
   */
  static ReadBudget within(long wanted, long directMemory) {
    return new ReadBudget(Math.min(wanted, directMemory / 2));
  }

  long capacity() {
    return capacity;
  }

  /**
   * Whether a request waits that gains by what {@code host} gives back: one of its own, or one of
   * another host that has room in its share but not in the whole. Other hosts that wait for their
   * own share do not.
   */
  synchronized boolean isCrowdedBy(PeerHost host) {
    return lines.entrySet().stream()
        .anyMatch(line -> line.getKey().equals(host) || hasRoomInShare(line));
  }

  /** Calls {@code granted} once {@code bytes} are set aside. */
  void acquire(PeerHost host, long bytes, Runnable granted) {
    List<Runnable> ready;
    synchronized (this) {
      lines.computeIfAbsent(host, key -> new ArrayDeque<>()).add(new Waiter(bytes, granted));
      ready = admit();
    }
    ready.forEach(Runnable::run);
  }

  void release(PeerHost host, long bytes) {
    List<Runnable> ready;
    synchronized (this) {
      used -= bytes;
      usedBy.computeIfPresent(host, (key, held) -> held == bytes ? null : held - bytes);
      ready = admit();
    }
    ready.forEach(Runnable::run);
  }

  private List<Runnable> admit() {
    List<Runnable> ready = new ArrayList<>();
    Optional<PeerHost> next = next();
    while (next.isPresent()) {
      PeerHost host = next.get();
      Queue<Waiter> line = lines.remove(host);
      Waiter admitted = line.remove();
      used += admitted.bytes();
      usedBy.merge(host, admitted.bytes(), Long::sum);
      ready.add(admitted.granted());
      if (!line.isEmpty()) {
        lines.put(host, line);
      }
      next = next();
    }
    return ready;
  }

  /** The first host with room in its share, if all have room for what it asks for. */
  private Optional<PeerHost> next() {
    return lines.entrySet().stream()
        .filter(this::hasRoomInShare)
        .findFirst()
        .filter(line -> used == 0 || used + bytesOfFirst(line) <= capacity)
        .map(Map.Entry::getKey);
  }

  private boolean hasRoomInShare(Map.Entry<PeerHost, Queue<Waiter>> line) {
    PeerHost host = line.getKey();
    long held = usedBy.getOrDefault(host, 0L);
    return !host.limited() || held == 0 || held + bytesOfFirst(line) <= share;
  }

  private static long bytesOfFirst(Map.Entry<PeerHost, Queue<Waiter>> line) {
    return line.getValue().element().bytes();
  }
}
