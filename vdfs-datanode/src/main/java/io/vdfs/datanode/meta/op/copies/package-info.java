/**
 * Which nodes are left out of which groups of a file, and the operations of repair that record this
 * and take it back. Confined to the metadata loop.
 */
package io.vdfs.datanode.meta.op.copies;
