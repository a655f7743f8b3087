/** Checkpoints as the benchmarks write them. */
package io.vdfs.it.bench;
