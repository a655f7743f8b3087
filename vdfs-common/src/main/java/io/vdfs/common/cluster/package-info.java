/**
 * The records of a cluster in ZooKeeper: its properties, the nodes alive, the ring map and the
 * members of the metadata group, and how daemon and client read them. Each {@code ClusterDirectory}
 * owns its connection and one thread that follows the changes; everything it hands out is
 * immutable. Its values are in {@code .record}. Uses {@code ring}, {@code model}, {@code error} and
 * Curator.
 *
 * <pre>
 * /vdfs/NAME/cluster          ClusterProto, written by format; marked once, when the two below are made
 * /vdfs/NAME/nodes/NODE-ID    LiveNodeProto, ephemeral
 * /vdfs/NAME/ring             RingMapProto, compare-and-set on the version of the znode
 * /vdfs/NAME/metadata         MetadataGroupProto, made by the controller, then the group's leader's
 * /vdfs/NAME/controller       election of the controller (Curator's LeaderLatch)
 * </pre>
 */
package io.vdfs.common.cluster;
