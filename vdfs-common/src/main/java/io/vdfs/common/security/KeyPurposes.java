package io.vdfs.common.security;

/**
 * The purposes that keys are derived for. A proof for one purpose is worth nothing for another.
 *
 * @see ClusterKey#derive
 */
public final class KeyPurposes {
  /** Certificates on the Raft port. */
  public static final String RAFT = "raft";

  /** Leave to write a file, given out by the metadata leader and checked by nodes. */
  public static final String TICKET = "ticket";

  /** A node's proof of which node it is. */
  public static final String NODE = "node";

  /** A proof that a node asks what only nodes may ask of a data port. */
  public static final String QUESTION = "question";

  /** Records in ZooKeeper that nodes act upon. */
  public static final String ZOOKEEPER = "zookeeper";

  private KeyPurposes() {}
}
