/**
 * What a member keeps on its disk: its directory, its log and snapshots as Ratis leaves them there,
 * what is damaged of them, and how much of it is forced. Blocks on the disk.
 */
package io.vdfs.datanode.meta.raft.disk;
