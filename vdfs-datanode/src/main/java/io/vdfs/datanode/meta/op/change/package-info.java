/**
 * The common parts of all operations: the contract, the records that they decide on and the effects
 * of these on quotas and deletions, and checks of the fields of a request. Confined to the metadata
 * loop.
 */
package io.vdfs.datanode.meta.op.change;
