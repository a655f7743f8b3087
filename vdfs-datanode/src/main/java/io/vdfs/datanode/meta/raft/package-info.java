/**
 * Replicates the metadata state by Raft: a member from its start to its end, the state machine and
 * its snapshots, what the leader does with requests, how doubts about a log are settled. With its
 * subpackages it is the only package that knows Ratis; {@code meta.group} is what others see of it.
 * The state itself is confined to the metadata loop, which this package owns.
 */
package io.vdfs.datanode.meta.raft;
