/**
 * Which nodes are left out of which groups of a file, and the operations of repair that say so and
 * take it back. Confined to the metadata loop.
 */
package io.vdfs.datanode.meta.op.copies;
