/**
 * The duties of the leader of the metadata: watching leases, recovering the files of dead writers,
 * taking deleted trees apart, ending forgotten streams; and every node's share in them: deleting.
 * Keeping the ring is in {@code .ring}. Soft state, lost and rebuilt with leadership. Confined to
 * the service loop; uses the metadata through requests only.
 */
package io.vdfs.datanode.meta.service;
