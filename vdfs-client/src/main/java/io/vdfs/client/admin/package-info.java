/**
 * What an administrator is told of a cluster and may decide: how its copies are, what became of
 * nodes, deletions and leases. Values only, immutable; who asks is the business of other packages.
 * Uses no other package of the client.
 */
package io.vdfs.client.admin;
