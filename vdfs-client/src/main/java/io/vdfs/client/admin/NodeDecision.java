package io.vdfs.client.admin;

/** What operators decided about a node. */
public enum NodeDecision {
  /** Nothing: it keeps its part of the ring, and is waited for when it is missing. */
  STAYS,
  /** It gives up its places as others take them, and gets no new ones. */
  LEAVES,
  /** It will not come back: others take its places at once. */
  GONE
}
