package io.vdfs.it.structure;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/** Looks for what uses itself by way of others. */
final class Cycle {
  private final NavigableMap<String, NavigableSet<String>> uses;
  private final Set<String> sound = new HashSet<>();
  private final Deque<String> path = new ArrayDeque<>();

  private Cycle(NavigableMap<String, NavigableSet<String>> uses) {
    this.uses = uses;
  }

  /**
   * Some cycle, from a name back to it; empty if there is none.
   *
   * @param uses by name, what it uses besides itself
   */
  static List<String> in(NavigableMap<String, NavigableSet<String>> uses) {
    Cycle cycle = new Cycle(uses);
    boolean found = uses.keySet().stream().anyMatch(cycle::leadsBack);
    return found ? List.copyOf(cycle.path) : List.of();
  }

  private boolean leadsBack(String at) {
    if (sound.contains(at)) {
      return false;
    }
    if (path.contains(at)) {
      while (!path.getFirst().equals(at)) {
        path.removeFirst();
      }
      path.addLast(at);
      return true;
    }
    path.addLast(at);
    for (String used : uses.getOrDefault(at, new TreeSet<>())) {
      if (leadsBack(used)) {
        return true;
      }
    }
    path.removeLast();
    sound.add(at);
    return false;
  }
}
