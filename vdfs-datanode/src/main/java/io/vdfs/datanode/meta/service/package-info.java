/**
 * What only the leader of the metadata does: watching leases, recovering the files of dead writers,
 * taking deleted trees apart, ending forgotten streams; and what every node does for it: deleting.
 * The ring has the room {@code .ring}. Soft state, lost and rebuilt with leadership. Confined to
 * the service loop; uses the metadata through requests only.
 */
package io.vdfs.datanode.meta.service;
