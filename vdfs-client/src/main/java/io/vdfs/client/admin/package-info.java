/**
 * What an administrator learns of a cluster and may decide: the state of its copies, nodes,
 * deletions and leases. Values only, immutable; the calls that fetch them belong to other packages.
 * Uses no other package of the client.
 */
package io.vdfs.client.admin;
