/**
 * Operations on files that are being written, from their lease to its end by the writer or by
 * recovery. Confined to the metadata loop.
 */
package io.vdfs.datanode.meta.op.writing;
