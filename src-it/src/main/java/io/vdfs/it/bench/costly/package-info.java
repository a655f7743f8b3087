/**
 * A job whose records cost time, more of it on some nodes or for some records, and plots of when
 * its tasks lived. Started by {@code src-it/bench/slow-node.sh} and {@code skew.sh}; uses nothing
 * else of the benchmarks.
 */
package io.vdfs.it.bench.costly;
