/**
 * Operations on the record of the cluster as a whole: its ring and what files lack once that
 * changes, its nodes, the feature level. Confined to the metadata loop.
 */
package io.vdfs.datanode.meta.op.cluster;
