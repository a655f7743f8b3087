/** Runs decoders against random bytes. */
package io.vdfs.datanode.fuzz;
