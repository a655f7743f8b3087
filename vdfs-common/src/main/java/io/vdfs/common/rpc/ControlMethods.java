package io.vdfs.common.rpc;

/** Names of the control calls; part of the wire format. */
public final class ControlMethods {
  /** {@code MetaRequest -> MetaResponse}: the metadata service, answered by the leader. */
  public static final String META = "meta";

  /** {@code ClusterInfoRequest -> ClusterInfoResponse}: answered by any DataNode. */
  public static final String CLUSTER_INFO = "cluster.info";

  /** {@code LedgerRequest -> MetaResponse}: asked at a node, which passes it on. */
  public static final String STREAM_NEXT = "stream.next";

  /** {@code NodeCountersRequest -> NodeCountersResponse}: what the asked node has counted. */
  public static final String NODE_COUNTERS = "node.counters";

  /**
   * {@code NodeRepairRequest -> NodeRepairResponse}: has the asked node look after its copies; for
   * superusers.
   */
  public static final String NODE_REPAIR = "node.repair";

  /** {@code MetadataStatusRequest -> MetadataStatusResponse}: the asked node's own member. */
  public static final String METADATA_STATUS = "metadata.status";

  /** {@code MetadataChangeRequest -> MetadataChangeResponse}: begins a change; for superusers. */
  public static final String METADATA_CHANGE = "metadata.change";

  /**
   * {@code NodeCall -> NodeAnswer}: around a call that only nodes make, with the proof that the
   * caller is one. Calls of nodes are {@link #META}, which then may name its caller, and {@link
   * #METADATA_INVITE}.
   */
  public static final String NODE = "node";

  /**
   * {@code MetadataInviteRequest -> MetadataInviteResponse}: by the leader, to a new member; inside
   * {@link #NODE} only.
   */
  public static final String METADATA_INVITE = "metadata.invite";

  /**
   * Bytes of the largest body of a request. A server sets aside as much for each connection before
   * it knows the caller.
   */
  public static final int MAX_BODY_BYTES = 256 << 10;

  private ControlMethods() {}
}
