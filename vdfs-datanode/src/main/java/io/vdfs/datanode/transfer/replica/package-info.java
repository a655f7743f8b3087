/**
 * Questions of nodes about each other's replicas, and copies of blocks between nodes: answers them
 * ({@code ReplicaQuestion}, opened by {@code transfer.server}), asks them ({@code
 * NettyReplicaProbe}, for the leader's recovery and for repair), and fetches what a node lacks.
 * Answers are confined to their connection's event loop, except for disk work; the others are
 * thread-safe. Uses {@code transfer}, the contract in {@code meta.service.edge}, the block store
 * and the stream manager.
 */
package io.vdfs.datanode.transfer.replica;
