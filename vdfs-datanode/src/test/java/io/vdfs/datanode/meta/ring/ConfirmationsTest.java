package io.vdfs.datanode.meta.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ConfirmationsTest {
  private final Confirmations confirmations = new Confirmations(3);
  private final RingMap map =
      RingPlanner.plan(Optional.empty(), List.of(node(1), node(2)), 2, 12).map();

  private static NodeId id(int number) {
    return new NodeId(new UUID(0, number));
  }

  private static RingNode node(int number) {
    return new RingNode(id(number), "host" + number, 1, 2, 3, 0, "/r", 1, 1);
  }

  private void confirm(int number, long epoch) {
    assertTrue(confirmations.confirm(id(number), confirmations.begin(id(number)), epoch));
  }

  @Test
  void shouldBelieveWhatNodesSaidByThisMapAlone() {
    confirm(1, map.epoch());
    confirm(2, map.epoch() + 1);
    confirm(3, map.epoch());
    assertEquals(Set.of(id(1)), confirmations.of(map));
  }

  @Test
  void shouldForgetWhatANodeSaidThatIsAwayForAMoment() {
    confirm(1, map.epoch());
    confirm(2, map.epoch());
    confirmations.onLook(List.of(node(2)));
    confirmations.onLook(List.of(node(1), node(2)));
    assertEquals(Set.of(id(2)), confirmations.of(map));
  }

  @Test
  void shouldNotBelieveWhatComesAfterItWasTakenBack() {
    long first = confirmations.begin(id(1));
    assertEquals(Set.of(), confirmations.of(map));
    assertTrue(confirmations.confirm(id(1), first, map.epoch()));
    assertEquals(Set.of(id(1)), confirmations.of(map));
    long second = confirmations.begin(id(1));
    assertEquals(Set.of(), confirmations.of(map));
    assertFalse(confirmations.confirm(id(1), first, map.epoch()), "it was on its way meanwhile");
    assertEquals(Set.of(), confirmations.of(map));
    assertTrue(confirmations.confirm(id(1), second, map.epoch()));
    assertEquals(Set.of(id(1)), confirmations.of(map));
  }

  @Test
  void shouldNotTakeASeriesForThatOfAnotherLeaderOrNode() {
    long series = confirmations.begin(id(1));
    assertFalse(confirmations.confirm(id(2), series, map.epoch()));
    Confirmations next = new Confirmations(4);
    assertFalse(next.confirm(id(1), series, map.epoch()));
    assertTrue(next.begin(id(1)) > series);
    assertFalse(next.confirm(id(1), series, map.epoch()));
    assertEquals(Set.of(), next.of(map));
  }
}
