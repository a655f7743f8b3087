/** The small parts of the benchmarks: pace, life spans, plots. */
package io.vdfs.it.bench;
