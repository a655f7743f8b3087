package io.vdfs.datanode.ledger;

/** A simulated job or an explored state broke a rule of exactly-once. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Violation(String message) {
    super(message);
  }

  Violation(String message, Throwable cause) {
    super(message, cause);
  }

  static void unless(boolean condition, String message) {
    if (!condition) {
      throw new Violation(message);
    }
  }
}
