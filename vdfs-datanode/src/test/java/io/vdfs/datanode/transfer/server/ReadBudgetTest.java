package io.vdfs.datanode.transfer.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadBudgetTest {
  private static final PeerHost HERE = host(1, false);
  private static final PeerHost THERE = host(2, true);
  private static final PeerHost ELSEWHERE = host(3, true);

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
  void shouldKeepTheOrderOfThoseThatWait() {
    ask("a", 60);
    ask("large", 90);
    ask("small", 10);
    assertEquals(List.of("a"), granted, "nobody overtakes, or the large would wait for ever");

    budget.release(HERE, 60);

    assertEquals(List.of("a", "large", "small"), granted);
  }

  @Test
  void shouldLetInAloneWhatIsLargerThanAll() {
    ask("a", 1);
    ask("huge", 1000);
    ask("b", 1);
    assertEquals(List.of("a"), granted);

    budget.release(HERE, 1);
    assertEquals(List.of("a", "huge"), granted);

    budget.release(HERE, 1000);
    assertEquals(List.of("a", "huge", "b"), granted);
  }

  @Test
  void shouldServeTheNextWhereMemoryIsReleasedInsideAGrant() {
    ask("a", 100);
    budget.acquire(
        HERE,
        100,
        () -> {
          granted.add("b");
          budget.release(HERE, 100);
        });
    ask("c", 100);

    budget.release(HERE, 100);

    assertEquals(List.of("a", "b", "c"), granted);
  }

  @Test
  void shouldLeaveHalfOfTheMemoryOfBuffersToOthers() {
    long mebibyte = 1 << 20;

    assertEquals(48 * mebibyte, ReadBudget.within(256 * mebibyte, 96 * mebibyte).capacity());
    assertEquals(256 * mebibyte, ReadBudget.within(256 * mebibyte, 4096 * mebibyte).capacity());
  }

  @Test
  void shouldLetHostsTakeTurns() {
    ask("a", 100);
    ask("b", 50);
    ask("c", 50);
    ask(THERE, "there", 20);

    budget.release(HERE, 100);

    assertEquals(List.of("a", "b", "there"), granted, "c waits behind another host");
  }

  @Test
  void shouldGiveALimitedHostNoMoreThanItsShare() {
    ask(THERE, "a", 20);
    ask(THERE, "b", 20);
    ask("here", 60);
    ask(ELSEWHERE, "elsewhere", 20);
    assertEquals(List.of("a", "here", "elsewhere"), granted);

    budget.release(THERE, 20);

    assertEquals(List.of("a", "here", "elsewhere", "b"), granted);
  }

  @Test
  void shouldLetInALimitedHostWhoseRequestIsLargerThanItsShare() {
    ask(THERE, "a", 40);
    assertEquals(List.of("a"), granted);
  }

  @Test
  void shouldNotBeCrowdedByOthersThanAHostThatWaitsForItsOwnShare() {
    ask(THERE, "a", 20);
    ask(ELSEWHERE, "elsewhere", 20);
    ask("here", 20);
    ask(THERE, "b", 20);
    assertEquals(List.of("a", "elsewhere", "here"), granted);

    assertFalse(budget.isCrowdedBy(ELSEWHERE), "its memory would not help");
    assertFalse(budget.isCrowdedBy(HERE));
    assertTrue(budget.isCrowdedBy(THERE));

    budget.release(THERE, 20);

    assertFalse(budget.isCrowdedBy(THERE));
  }

  @Test
  void shouldBeCrowdedByAllWhereSomebodyWaitsForTheWhole() {
    ask(THERE, "a", 20);
    ask("here", 80);
    ask(THERE, "b", 20);
    assertFalse(budget.isCrowdedBy(HERE), "the host waits for its share");

    ask(ELSEWHERE, "elsewhere", 20);
    assertEquals(List.of("a", "here"), granted);

    assertTrue(budget.isCrowdedBy(HERE));
    assertTrue(budget.isCrowdedBy(THERE));
    assertTrue(budget.isCrowdedBy(ELSEWHERE));
  }

  private static PeerHost host(int address, boolean limited) {
    return new PeerHost(ByteString.copyFrom(new byte[] {10, 0, 0, (byte) address}), limited);
  }

  private void ask(PeerHost host, String name, long bytes) {
    budget.acquire(host, bytes, () -> granted.add(name));
  }

  private void ask(String name, long bytes) {
    budget.acquire(HERE, bytes, () -> granted.add(name));
  }
}
