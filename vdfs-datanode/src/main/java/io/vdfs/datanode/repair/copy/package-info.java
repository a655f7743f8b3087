/**
 * Makes this node's copy of one group equal to that of a sound source: verifies there, reads back
 * here, copies what differs beside the old bytes, reads back again. Decisions are confined to the
 * service loop, disk work runs on threads that may block. Uses the block store through {@link
 * io.vdfs.datanode.repair.copy.OwnGroups} and other nodes through the probe of lease recovery.
 */
package io.vdfs.datanode.repair.copy;
