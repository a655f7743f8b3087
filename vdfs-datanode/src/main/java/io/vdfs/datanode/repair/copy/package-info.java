/**
 * Brings what this node holds of one group to what a sound source holds of it: verify there, read
 * back here, copy what differs beside it, read back again. Decisions are confined to the service
 * loop, disk work runs on threads that may block. Uses the block store through {@link
 * io.vdfs.datanode.repair.copy.OwnGroups} and other nodes through the probe of lease recovery.
 */
package io.vdfs.datanode.repair.copy;
