package io.vdfs.datanode.meta.raft;

import io.vdfs.datanode.meta.raft.PathEvent.Pair;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Whether some order of the events on a pair of paths explains all their outcomes, an event that
 * ended before another began coming first. Searches all orders, but none twice from the same place.
 * An event that can be next and changes nothing is taken at once: an order that has it later is
 * still one when it is moved to the front.
 */
final class Linearizability {
  private record Place(BitSet done, Pair pair) {}

  private final List<PathEvent> events;
  private final Deque<Place> open = new ArrayDeque<>();
  private final Set<Place> seen = new HashSet<>();

  private Linearizability(List<PathEvent> events) {
    this.events = events;
  }

  static boolean holds(List<PathEvent> events) {
    return new Linearizability(
            events.stream().sorted(Comparator.comparingLong(PathEvent::startNanos)).toList())
        .search();
  }

  private boolean search() {
    open.push(new Place(new BitSet(events.size()), Pair.EMPTY));
    while (!open.isEmpty()) {
      Place place = open.pop();
      if (place.done.cardinality() == events.size()) {
        return true;
      }
      goOn(place);
    }
    return false;
  }

  private void goOn(Place place) {
    List<Place> ways = new ArrayList<>();
    for (int i : nextIn(place)) {
      PathEvent event = events.get(i);
      if (event.isPossible(place.pair)) {
        BitSet done = (BitSet) place.done.clone();
        done.set(i);
        Place next = new Place(done, event.after(place.pair));
        if (next.pair.equals(place.pair)) {
          push(next);
          return;
        }
        ways.add(next);
      }
    }
    ways.forEach(this::push);
  }

  private void push(Place place) {
    if (seen.add(place)) {
      open.push(place);
    }
  }

  /** The events that no other one has to come before. */
  private List<Integer> nextIn(Place place) {
    List<Integer> next = new ArrayList<>();
    long firstEnd = Long.MAX_VALUE;
    for (int i = place.done.nextClearBit(0);
        i < events.size() && events.get(i).startNanos() <= firstEnd;
        i = place.done.nextClearBit(i + 1)) {
      firstEnd = Math.min(firstEnd, events.get(i).endNanos());
      next.add(i);
    }
    long latest = firstEnd;
    next.removeIf(i -> events.get(i).startNanos() > latest);
    return next;
  }
}
