package io.vdfs.datanode.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class LeavingMembersTest {
  /** Nodes 0 to 2 are members, 3 and 4 spare, 5 is not in the ring map. */
  private final MemberCandidates nodes = new MemberCandidates("aaaaaa");

  private final NextMember next = new NextMember();

  /** Member and successor as numbers, joined; empty if nothing is to be done. */
  private String move(List<MetadataMember> members, Set<Integer> dead, Integer... leaving) {
    Set<NodeId> going = Stream.of(leaving).map(nodes::id).collect(Collectors.toSet());
    next.exclude(going);
    return LeavingMembers.next(members, going, nodes.without(dead), next)
        .map(
            move ->
                nodes.number(move.leaving())
                    + ">"
                    + move.successor().map(id -> "" + nodes.number(id)).orElse(""))
        .orElse("");
  }

  @Test
  void shouldGiveTheSeatToANodeThatStays() {
    assertEquals("1>3", move(nodes.members(), Set.of(), 1));
    assertEquals("1>4", move(nodes.members(), Set.of(), 1, 3));
    assertEquals("1>4", move(nodes.members(), Set.of(3), 1));
    assertEquals("", move(nodes.members(), Set.of(), 3), "it has none");
    assertEquals("", move(nodes.members(), Set.of()));
  }

  @Test
  void shouldShrinkALargeGroupAlone() {
    assertEquals("", move(nodes.members(), Set.of(3, 4), 1));
    assertEquals("2>", move(nodes.members(4), Set.of(4), 2));
    assertEquals("2>4", move(nodes.members(4), Set.of(), 2));
  }

  @Test
  void shouldNotTakeANodeThatLeavesForAnother() {
    next.exclude(Set.of(nodes.id(3), nodes.id(4)));
    assertEquals(Optional.empty(), next.choose(nodes.members(), nodes.without(Set.of())));
  }
}
