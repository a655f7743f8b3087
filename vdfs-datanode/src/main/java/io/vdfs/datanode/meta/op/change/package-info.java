/**
 * What all operations have in common: the contract, the records that they decide on and what these
 * entail for quotas and deletions, and checks of what a request says. Confined to the metadata
 * loop.
 */
package io.vdfs.datanode.meta.op.change;
