/**
 * Operations on names: directories are made, names moved and taken away, and what is left of them
 * is taken apart until no node holds any of it. Confined to the metadata loop.
 */
package io.vdfs.datanode.meta.op.names;
