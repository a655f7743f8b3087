package io.vdfs.datanode.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadBudgetTest {
  private final ReadBudget budget = new ReadBudget(100);
  private final List<String> granted = new ArrayList<>();

  @Test
  void shouldLetReadersInAsLongAsTheyFit() {
    ask("a", 60);
    ask("b", 40);
    ask("c", 1);

    assertEquals(List.of("a", "b"), granted);
  }

  @Test
  void shouldKeepTheOrderOfThoseWhoWait() {
    ask("a", 60);
    ask("large", 90);
    ask("small", 10);
    assertEquals(List.of("a"), granted, "nobody overtakes, or the large would wait for ever");

    budget.release(60);

    assertEquals(List.of("a", "large", "small"), granted);
  }

  @Test
  void shouldLetInAloneWhatIsLargerThanAll() {
    ask("a", 1);
    ask("huge", 1000);
    ask("b", 1);
    assertEquals(List.of("a"), granted);

    budget.release(1);
    assertEquals(List.of("a", "huge"), granted);

    budget.release(1000);
    assertEquals(List.of("a", "huge", "b"), granted);
  }

  @Test
  void shouldServeWhoIsReleasedInsideAGrant() {
    ask("a", 100);
    budget.acquire(
        100,
        () -> {
          granted.add("b");
          budget.release(100);
        });
    ask("c", 100);

    budget.release(100);

    assertEquals(List.of("a", "b", "c"), granted);
  }

  @Test
  void shouldLeaveHalfOfTheMemoryOfBuffersToOthers() {
    long mebibyte = 1 << 20;

    assertEquals(48 * mebibyte, ReadBudget.within(256 * mebibyte, 96 * mebibyte).capacity());
    assertEquals(256 * mebibyte, ReadBudget.within(256 * mebibyte, 4096 * mebibyte).capacity());
  }

  private void ask(String name, long bytes) {
    budget.acquire(bytes, () -> granted.add(name));
  }
}
