/**
 * How the leader looks after the ring: whom it counts as present, what it changes where nodes stay
 * away or were decided to go, and what it tells of the copies that are missing. Confined to the
 * service loop.
 */
package io.vdfs.datanode.meta.service.ring;
