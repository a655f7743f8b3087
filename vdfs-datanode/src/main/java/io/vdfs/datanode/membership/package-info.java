/**
 * Keeps this node listed among the living and, on the one node elected as controller, publishes
 * ring maps and founds the metadata group. One thread per {@code Membership} owns all state; a
 * published map is replaced only by compare-and-set, so that a controller that has lost its office
 * without knowing does no harm. Uses {@code common.cluster}, {@code common.ring} and Curator.
 */
package io.vdfs.datanode.membership;
