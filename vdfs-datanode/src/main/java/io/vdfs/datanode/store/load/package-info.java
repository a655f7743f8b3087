/**
 * Opens the store: decides at the start which directories are volumes of this node, and what counts
 * of the combined files found there after a crash. A thread per volume, none once the store is
 * open.
 */
package io.vdfs.datanode.store.load;
