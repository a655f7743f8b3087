/**
 * Looks after the ring for the leader: which nodes count as present, what changes where nodes stay
 * away or an operator decided that they go, and the report of missing copies. Confined to the
 * service loop.
 */
package io.vdfs.datanode.meta.service.ring;
