package io.vdfs.it.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.contract.SharedCluster;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * All attacks on one cluster, one after the other, none of which may harm it.
 *
 * <p>How to add an attack:
 *
 * <ul>
 *   <li>The attacks on one entrance are in one class, such as {@code DataPortAttacks}, with a
 *       method {@code all()} that lists them; {@link #ATTACKS} names the classes. One attack is one
 *       method.
 *   <li>An {@link Attack} says in its {@code before} what it did before it was cured. Its author
 *       has seen it do that: first the attack, then the cure.
 *   <li>The deed speaks the protocol by hand, or with the client's own classes and lies in the
 *       fields; it uses nothing secret to the cluster, such as its key. It asserts the refusal.
 *   <li>After each attack {@link AttackedCluster#requireWhole} reads every file, compares every
 *       copy, name and attribute with those before the first attack, checks that all nodes and all
 *       members of the metadata group are up, and writes. A deed need not check these.
 *   <li>The nodes run in this JVM and outlive the suite. An attack that needs a setting of its own,
 *       passing time, a process or a second user is a test beside the class that withstands it,
 *       with {@code before:} in its comment, and named {@code ...AttackTest}.
 * </ul>
 */
class AttackSuiteIT {
  private static final List<Attack> ATTACKS =
      Stream.of(
              DataPortAttacks.all(),
              ControlPortAttacks.all(),
              IdentityAttacks.all(),
              ZooKeeperAttacks.all())
          .flatMap(List::stream)
          .toList();

  private static AttackedCluster cluster;

  @BeforeAll
  static void fill() throws Exception {
    cluster = AttackedCluster.of(SharedCluster.get());
  }

  @AfterAll
  static void close() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void shouldHaveAsManyAttacksAsWereKnownAtFirst() {
    assertTrue(ATTACKS.size() >= 30, "attacks=" + ATTACKS.size());
    assertEquals(
        ATTACKS.size(), ATTACKS.stream().map(Attack::name).distinct().count(), "each has a name");
  }

  @TestFactory
  Stream<DynamicTest> shouldLeaveTheClusterWhole() {
    return ATTACKS.stream()
        .map(
            attack ->
                DynamicTest.dynamicTest(
                    attack.toString(),
                    () -> {
                      attack.deed().carryOut(cluster);
                      cluster.requireWhole();
                    }));
  }
}
