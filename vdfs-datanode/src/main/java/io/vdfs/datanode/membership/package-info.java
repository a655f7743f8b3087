/**
 * Keeps this node listed among the live nodes and, on the one node elected as controller, founds
 * the metadata group and deals the first ring map. One thread per {@code Membership} owns all
 * state; a foundation is one transaction, so that a controller that has lost its office without
 * knowing does no harm. Uses {@code common.cluster}, {@code common.ring} and Curator.
 */
package io.vdfs.datanode.membership;
