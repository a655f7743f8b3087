/**
 * A member's files on its disk: its directory, its log and snapshots as Ratis leaves them there,
 * checks for damage, and what is forced beyond what Ratis forces. Blocks on the disk.
 */
package io.vdfs.datanode.meta.raft.disk;
