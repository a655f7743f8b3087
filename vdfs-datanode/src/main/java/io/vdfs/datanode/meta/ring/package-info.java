/**
 * Decides which nodes count as present when the ring map is planned: how long missing nodes are
 * waited for, and which nodes said that they hold what they should. Pure except for the time and
 * the ring maps that it is given; confined to the leader's service loop. Uses {@code common.model}
 * and {@code common.ring}.
 */
package io.vdfs.datanode.meta.ring;
