package io.vdfs.client.admin;

/** What operators decided about a node. */
public enum NodeDecision {
  /** Nothing: it keeps its part of the ring, and is waited for when it is missing. */
  STAYS,
  /** It gives its places up, as others take them, and gets none. */
  LEAVES,
  /** It is missing for good: others take its places at once. */
  GONE
}
