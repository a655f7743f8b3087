package io.vdfs.datanode.meta.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
  private final Confirmations confirmations = new Confirmations();
  private final RingMap map =
      RingPlanner.plan(Optional.empty(), List.of(node(1), node(2)), 2, 12).map();

  private static NodeId id(int number) {
    return new NodeId(new UUID(0, number));
  }

  private static RingNode node(int number) {
    return new RingNode(id(number), "host" + number, 1, 2, 3, 0, "/r", 1, 1);
  }

  @Test
  void shouldBelieveWhatNodesSaidByThisMapAlone() {
    confirmations.onConfirmed(id(1), map.epoch());
    confirmations.onConfirmed(id(2), map.epoch() + 1);
    confirmations.onConfirmed(id(3), map.epoch());
    assertEquals(Set.of(id(1)), confirmations.of(map));
  }

  @Test
  void shouldForgetWhatANodeSaidThatIsAwayForAMoment() {
    confirmations.onConfirmed(id(1), map.epoch());
    confirmations.onConfirmed(id(2), map.epoch());
    confirmations.onLook(List.of(node(2)));
    confirmations.onLook(List.of(node(1), node(2)));
    assertEquals(Set.of(id(2)), confirmations.of(map));
  }
}
