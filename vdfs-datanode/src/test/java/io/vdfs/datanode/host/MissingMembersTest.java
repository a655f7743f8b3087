package io.vdfs.datanode.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class MissingMembersTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Nodes 0 to 2 are members, 3 to 5 spare, 6 is not in the ring map. */
  private final MemberCandidates nodes = new MemberCandidates("aababbb");

  private final NextMember next = new NextMember();
  private final MissingMembers missing = new MissingMembers(PATIENCE, next, true);
  private Set<Integer> heard = Set.of(0);
  private Set<Integer> gone = Set.of();

  /** Missing member and successor as numbers, joined; empty if nothing is to be done. */
  private String at(int minutes, Integer... dead) {
    return at(missing, 3, minutes, dead);
  }

  private String at(MissingMembers by, int members, int minutes, Integer... dead) {
    return by.overdue(
            nodes.members(members),
            gone.stream().map(nodes::id).collect(Collectors.toSet()),
            id -> heard.contains(nodes.number(id)),
            nodes.without(Set.of(dead)),
            Duration.ofMinutes(minutes).toNanos())
        .map(
            found ->
                nodes.number(found.missing())
                    + ">"
                    + found.successor().map(id -> "" + nodes.number(id)).orElse(""))
        .orElse("");
  }

  @Test
  void shouldReplaceAfterTheTimeOfPatience() {
    assertEquals("", at(5, 2));
    assertEquals("", at(14, 2));
    assertEquals("2>4", at(15, 2));
  }

  @Test
  void shouldNotWaitForAMemberThatIsDeclaredGone() {
    gone = Set.of(2);
    assertEquals("", at(0), "it is there");
    assertEquals("2>4", at(1, 2));
    assertEquals("", at(new MissingMembers(Duration.ZERO, next, true), 3, 1, 2));
  }

  @Test
  void shouldNotWaitForAMemberThatTheRingHasGivenUp() {
    assertEquals("", at(missing, 7, 0), "it is there");
    assertEquals("6>", at(missing, 7, 0, 6));
  }

  @Test
  void shouldCountAnewForOneThatWasBack() {
    assertEquals("", at(0, 2));
    assertEquals("", at(9));
    assertEquals("", at(10, 2));
    assertEquals("", at(19, 2));
    assertEquals("2>4", at(20, 2));
  }

  @Test
  void shouldCountAnewAfterForgetting() {
    assertEquals("", at(0, 2));
    missing.forget();
    assertEquals("", at(10, 2));
    assertEquals("2>4", at(20, 2));
  }

  @Test
  void shouldNotReplaceAMemberThatIsHeard() {
    heard = Set.of(0, 2);
    assertEquals("", at(0, 2));
    assertEquals("", at(60, 2));
  }

  @Test
  void shouldBeginWithTheOneMissingLongest() {
    assertEquals("", at(0, 1));
    assertEquals("", at(5, 1, 2));
    assertEquals("1>3", at(30, 1, 2, 4, 5));
  }

  @Test
  void shouldPreferAnotherRackThanTheMembersThatLive() {
    at(0, 1);
    assertEquals("1>4", at(10, 1), "each rack has one member that lives, the ring's order counts");
    at(20, 2);
    assertEquals("2>4", at(30, 2), "rack a has two members");
    assertEquals("2>3", at(31, 2, 4, 5));
  }

  @Test
  void shouldTryOthersAfterAFailure() {
    at(0, 2);
    next.onFailure(nodes.id(4));
    assertEquals("2>5", at(10, 2));
    next.onFailure(nodes.id(5));
    assertEquals("2>3", at(11, 2));
    next.onFailure(nodes.id(3));
    assertEquals("2>4", at(12, 2));
  }

  @Test
  void shouldNotTakeANodeThatIsNotInTheRingMap() {
    at(0, 2);
    assertEquals("", at(10, 2, 3, 4, 5));
  }

  @Test
  void shouldDoWithoutAMemberOfALargeGroupWhereNoNodeCanStepIn() {
    assertEquals("", at(missing, 5, 0, 1, 5));
    assertEquals("", at(missing, 5, 9, 1, 5));
    assertEquals("1>", at(missing, 5, 10, 1, 5));
    assertEquals("1>5", at(missing, 5, 11, 1), "rather another one");
    assertEquals("1>", at(missing, 4, 12, 1, 4, 5));
    assertEquals("", at(missing, 3, 13, 1, 3, 4, 5), "three are the least");
    MissingMembers fixed = new MissingMembers(PATIENCE, next, false);
    assertEquals("", at(fixed, 5, 0, 1, 5));
    assertEquals("", at(fixed, 5, 60, 1, 5), "an operator asked for five");
  }

  @Test
  void shouldReplaceNoMemberWithoutAnEndOfPatience() {
    MissingMembers patient = new MissingMembers(Duration.ZERO, next, true);
    for (int minutes : new int[] {0, 10_000}) {
      assertEquals(
          Optional.empty(),
          patient.overdue(
              nodes.members(),
              Set.of(),
              id -> false,
              nodes.without(Set.of(2)),
              Duration.ofMinutes(minutes).toNanos()));
    }
  }
}
