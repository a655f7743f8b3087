package io.vdfs.common.rpc;

/** Names of the control calls; part of the wire format. */
public final class ControlMethods {
  /** {@code MetaRequest -> MetaResponse}: the metadata service, answered by the leader. */
  public static final String META = "meta";

  /** {@code ClusterInfoRequest -> ClusterInfoResponse}: answered by any DataNode. */
  public static final String CLUSTER_INFO = "cluster.info";

  /** {@code LedgerRequest -> MetaResponse}: asked at a node, which passes it on in its own name. */
  public static final String STREAM_NEXT = "stream.next";

  /** {@code NodeCountersRequest -> NodeCountersResponse}: what the asked node has counted. */
  public static final String NODE_COUNTERS = "node.counters";

  /** Bytes of the largest body of a request. */
  public static final int MAX_BODY_BYTES = 4 << 20;

  private ControlMethods() {}
}
