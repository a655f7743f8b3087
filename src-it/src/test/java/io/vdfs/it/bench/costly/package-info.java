/** Tests of the costly job's parts: pace, life spans, plots. */
package io.vdfs.it.bench.costly;
