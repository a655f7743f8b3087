/**
 * The block store of a node: combined files on its volumes, the index over them, writers, readers,
 * fences and recovery after a crash. State of one user file is guarded by its {@code FileGuard};
 * each volume has one write-back thread; reads run on the thread that asks. Uses {@code
 * common.store} for formats and its own subpackages; knows neither network nor streams.
 */
package io.vdfs.datanode.store;
