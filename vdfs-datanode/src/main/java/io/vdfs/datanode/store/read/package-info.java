/**
 * The one reader thread of each volume, its bounded queue and the order in which it takes reads.
 * Knows nothing of files: tasks say where on the volume they read.
 */
package io.vdfs.datanode.store.read;
