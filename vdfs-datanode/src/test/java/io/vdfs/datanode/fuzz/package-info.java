/** Runs decoders against bytes that nobody chose. */
package io.vdfs.datanode.fuzz;
