/** What the costly job is made of: pace, life spans, plots. */
package io.vdfs.it.bench.costly;
