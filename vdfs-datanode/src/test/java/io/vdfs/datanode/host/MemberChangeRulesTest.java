package io.vdfs.datanode.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MemberChangeRulesTest {
  /** Nodes 0 to 4 are in the ring map, node 5 came later. */
  private final MemberCandidates nodes = new MemberCandidates("aaaaaa");

  private Optional<NodeId> node(int number) {
    return number < 0 ? Optional.empty() : Optional.of(nodes.id(number));
  }

  private List<Integer> after(Set<Integer> dead, int removed, int added) throws VdfsException {
    return MemberChangeRules.membersAfter(
            nodes.members(), nodes.without(dead), node(removed), node(added))
        .stream()
        .map(member -> nodes.number(member.id()))
        .toList();
  }

  private void assertRefused(ErrorCode code, Set<Integer> dead, int removed, int added) {
    VdfsException refused = assertThrows(VdfsException.class, () -> after(dead, removed, added));
    assertEquals(code, refused.code(), refused::getMessage);
  }

  @Test
  void shouldReplaceAddAndRemove() throws Exception {
    assertEquals(List.of(0, 2, 3), after(Set.of(1), 1, 3));
    assertEquals(List.of(0, 1, 3), after(Set.of(), 2, 3));
    assertEquals(List.of(0, 1, 2, 4), after(Set.of(), -1, 4));
    assertEquals(List.of(0, 1), after(Set.of(2), 2, -1));
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    assertRefused(ErrorCode.NOT_FOUND, Set.of(), 3, 4);
    assertRefused(ErrorCode.ALREADY_EXISTS, Set.of(), 0, 1);
    assertRefused(ErrorCode.ALREADY_EXISTS, Set.of(), 0, 0);
    assertRefused(ErrorCode.UNAVAILABLE, Set.of(3), 0, 3);
    assertRefused(ErrorCode.INVALID_ARGUMENT, Set.of(), 0, 5);
  }

  @Test
  void shouldRefuseToLeaveNoMajorityThatLives() {
    assertRefused(ErrorCode.INVALID_ARGUMENT, Set.of(1), 2, -1);
    assertRefused(ErrorCode.INVALID_ARGUMENT, Set.of(1, 2), 0, 3);
  }
}
