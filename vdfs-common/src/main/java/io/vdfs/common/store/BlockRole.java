package io.vdfs.common.store;

/** Why a node keeps a block. The code is part of the file format: never change one. */
public enum BlockRole {
  /** The node owns the arc of the block's group. */
  PRIMARY(1, 'p'),
  /** Another node owns the arc; this one keeps a copy. */
  REPLICA(2, 'r');

  private final int code;
  private final char letter;

  BlockRole(int code, char letter) {
    this.code = code;
    this.letter = letter;
  }

  public int code() {
    return code;
  }

  /** The letter in file names. */
  public char letter() {
    return letter;
  }

  /**
   * @throws IllegalArgumentException if no role has {@code code}
   */
  public static BlockRole ofCode(int code) {
    for (BlockRole role : values()) {
      if (role.code == code) {
        return role;
      }
    }
    throw new IllegalArgumentException("no such block role: code=" + code);
  }
}
