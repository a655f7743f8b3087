package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.DeclaredGone;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class NewNodeTest {
  private static final Path FIRST = Path.of("/disk0/vdfs");
  private static final Path SECOND = Path.of("/disk1/vdfs");
  private static final List<Path> BOTH = List.of(FIRST, SECOND);
  private static final RingNode KNOWN =
      new RingNode(new NodeId(new UUID(0, 1)), "host-1", 9860, 9861, 9862, 0, "/rack", 1, 1);

  private static final Optional<RingMap> RING =
      Optional.of(
          new RingMap(
              1,
              1,
              Placement.TURN,
              List.of(new ArcReplicas(List.of(KNOWN.id()), List.of())),
              Map.of(KNOWN.id(), KNOWN)));

  private static DeclaredGone gone(NodeId node) {
    return new DeclaredGone(Set.of(node), Set.of());
  }

  private static NodeId id(Optional<RingMap> ring, String host, int port, Set<Path> accepted)
      throws VdfsException {
    return NewNode.id(
        ring,
        host,
        port,
        BOTH,
        accepted,
        new NewNode.Decisions(() -> gone(NodeId.random()), () -> {}));
  }

  @Test
  void shouldRefuseANewIdAtThePlaceOfANodeOfTheRing() {
    for (Set<Path> accepted : List.of(Set.<Path>of(), Set.of(FIRST))) {
      VdfsException refused =
          assertThrows(VdfsException.class, () -> id(RING, "host-1", 9860, accepted));
      assertEquals(ErrorCode.MISCONFIGURED, refused.code());
      for (Object part :
          List.of(
              "vdfs node replace " + KNOWN.id(),
              "host-1",
              "--accept-empty",
              FIRST,
              SECOND,
              "mount")) {
        assertTrue(refused.getMessage().contains(part.toString()), refused.getMessage());
      }
      assertEquals(1, refused.getMessage().lines().count());
    }
  }

  @Test
  void shouldGiveANewIdWhereTheLossIsAcceptedOrTheRingHasNoSuchNode() throws Exception {
    assertNotEquals(KNOWN.id(), id(RING, "host-1", 9860, Set.copyOf(BOTH)));
    assertNotEquals(KNOWN.id(), id(RING, "host-2", 9860, Set.of()));
    assertNotEquals(KNOWN.id(), id(RING, "host-1", 9870, Set.of()));
    assertNotEquals(KNOWN.id(), id(Optional.empty(), "host-1", 9860, Set.of()));
  }

  @Test
  void shouldGiveANewIdAtThePlaceOfANodeThatIsGone() throws Exception {
    assertNotEquals(KNOWN.id(), idWhereGoneIsPublishedAfter(0));
  }

  @Test
  void shouldWaitForAWhileForWhatAnOperatorHasJustSaid() throws Exception {
    assertNotEquals(KNOWN.id(), idWhereGoneIsPublishedAfter(3));
    assertThrows(VdfsException.class, () -> idWhereGoneIsPublishedAfter(4));
  }

  private static NodeId idWhereGoneIsPublishedAfter(int pauses) throws VdfsException {
    AtomicInteger left = new AtomicInteger(pauses);
    NewNode.Decisions decisions =
        new NewNode.Decisions(
            () -> left.get() > 0 ? DeclaredGone.NONE : gone(KNOWN.id()), left::decrementAndGet);
    return NewNode.id(RING, "host-1", 9860, BOTH, Set.of(), decisions);
  }
}
