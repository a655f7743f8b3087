package io.vdfs.it.attack;

/**
 * What an attacker does to a cluster, and what that led to before it was cured.
 *
 * @param name what is attacked and how, as the name of the test: {@code "data port: cut a closed
 *     file"}
 * @param before what the attack did before its cure: the harm, not the mechanism
 * @param deed carries the attack out and fails unless it was refused
 */
record Attack(String name, String before, Deed deed) {
  /** Carries an attack out. */
  @FunctionalInterface
  interface Deed {
    /**
     * Does everything that the attacker would do, waits for every answer, and asserts by the
     * answer, a counter or the closed connection that the attack was refused: an attack that never
     * reached its target must fail here.
     */
    void carryOut(AttackedCluster cluster) throws Exception;
  }

  @Override
  public String toString() {
    return name + " (before: " + before + ")";
  }
}
