package io.vdfs.datanode.store.turns;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** How long forces of small files wait for others. Times are in milliseconds. */
class CompanyTest {
  private static final long MOST = 100;
  private static final long FORCE = 7;
  private static final long GAP = 5 * FORCE;

  private final Company company = new Company(MOST);

  private void crowd(long now) {
    company.onForced(FORCE);
    company.onCame(now, 3);
  }

  @Test
  void shouldNotWaitWhereNoneCameTogether() {
    company.onForced(FORCE);
    company.onCame(0, 1);
    assertEquals(0, company.left(0, 0));
    company.onCame(10, 2);
    assertEquals(0, company.left(10, 10), "two flush twice in any case");
  }

  @Test
  void shouldWaitUntilNobodyComesForAWhile() {
    crowd(0);
    assertEquals(GAP, company.left(0, 0));
    company.onCame(15, 2);
    assertEquals(GAP - 5, company.left(20, 0));
    assertEquals(0, company.left(15 + GAP, 0));
  }

  @Test
  void shouldWaitNoLongerThanItMay() {
    crowd(0);
    company.onCame(MOST - 1, 4);
    assertEquals(1, company.left(MOST - 1, 0));
    assertEquals(GAP, company.left(MOST - 1, MOST - 1));
  }

  @Test
  void shouldNotWaitLongForAForceThatTakesLong() {
    company.onForced(100 * MOST);
    company.onCame(0, 3);
    assertEquals(MOST / 2, company.left(0, 0));
  }

  @Test
  void shouldExpectNobodyOnceTheOthersAreGone() {
    crowd(0);
    company.onCame(2 * MOST, 1);
    assertEquals(GAP, company.left(2 * MOST, 2 * MOST));
    company.onCame(2 * MOST + 1, 1);
    assertEquals(0, company.left(2 * MOST + 1, 2 * MOST + 1));
  }

  /**
   * Writers that work for a while, come, and go on once their batch was forced.
   *
   * @return how many went together in the mean
   */
  private double together(int writers, long work) {
    SplittableRandom random = new SplittableRandom(writers);
    PriorityQueue<Long> coming = new PriorityQueue<>();
    for (int writer = 0; writer < writers; writer++) {
      coming.add(random.nextLong(2 * work));
    }
    long now = 0;
    long batches = 0;
    long files = 0;
    List<Long> waiting = new ArrayList<>();
    while (files < 10_000) {
      long left = waiting.isEmpty() ? Long.MAX_VALUE : company.left(now, waiting.get(0));
      if (left <= 0) {
        files += waiting.size();
        batches++;
        now += FORCE;
        company.onForced(FORCE);
        for (int gone = waiting.size(); gone > 0; gone--) {
          coming.add(now + random.nextLong(2 * work));
        }
        waiting.clear();
      } else if (!coming.isEmpty() && coming.peek() <= now + Math.min(left, 10 * work)) {
        now = Math.max(now, coming.poll());
        waiting.add(now);
        company.onCame(now, waiting.size());
        while (!coming.isEmpty() && coming.peek() <= now) {
          waiting.add(coming.poll());
          company.onCame(now, waiting.size());
        }
      } else {
        now += left;
      }
    }
    return (double) files / batches;
  }

  @Test
  void shouldHaveManyWritersGoTogetherAndOneAlone() {
    assertEquals(1, together(1, 30));
    double eight = together(8, 40);
    assertTrue(eight >= 5, "together: " + eight);
  }
}
