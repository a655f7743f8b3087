/**
 * A job whose records cost time, more of it on some nodes or for some records, and plots of its
 * tasks' life spans. Started by {@code src-it/bench/slow-node.sh} and {@code skew.sh}; uses nothing
 * else of the benchmarks.
 */
package io.vdfs.it.bench.costly;
