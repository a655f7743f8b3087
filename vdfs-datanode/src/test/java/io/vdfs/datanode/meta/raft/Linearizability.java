package io.vdfs.datanode.meta.raft;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether some order of the events on one path explains all their outcomes, an event that ended
 * before another began coming first. Searches all orders, but none twice from the same place.
 */
final class Linearizability {
  private record Place(BitSet done, long inode) {}

  private final List<PathEvent> events;

  private Linearizability(List<PathEvent> events) {
    this.events = events;
  }

  static boolean holds(List<PathEvent> events) {
    return new Linearizability(
            events.stream().sorted(Comparator.comparingLong(PathEvent::startNanos)).toList())
        .search();
  }

  private boolean search() {
    Deque<Place> open = new ArrayDeque<>();
    Set<Place> seen = new HashSet<>();
    open.push(new Place(new BitSet(events.size()), PathEvent.NOTHING));
    while (!open.isEmpty()) {
      Place place = open.pop();
      if (place.done.cardinality() == events.size()) {
        return true;
      }
      long firstEnd = Long.MAX_VALUE;
      int first = place.done.nextClearBit(0);
      for (int i = first; i < events.size(); i = place.done.nextClearBit(i + 1)) {
        if (events.get(i).startNanos() > firstEnd) {
          break;
        }
        firstEnd = Math.min(firstEnd, events.get(i).endNanos());
      }
      for (int i = first;
          i < events.size() && events.get(i).startNanos() <= firstEnd;
          i = place.done.nextClearBit(i + 1)) {
        PathEvent event = events.get(i);
        if (event.isPossible(place.inode)) {
          BitSet done = (BitSet) place.done.clone();
          done.set(i);
          Place next = new Place(done, event.after(place.inode));
          if (seen.add(next)) {
            open.push(next);
          }
        }
      }
    }
    return false;
  }
}
