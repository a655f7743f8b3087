package io.vdfs.datanode.meta.group;

/**
 * The ways in which a member learns of the others without Raft. Thread-safe.
 *
 * @param reach says which members answer where there is no majority
 * @param logs asked while this member's log may lack what it acknowledged
 */
public record Peers(PeerReach reach, PeerLogs logs) {}
