/**
 * A job that runs while checkpoints are written: it weighs the terms of a text by a model that each
 * task loads. Started by {@code src-it/bench/mixed.sh}; uses nothing else of the benchmarks.
 */
package io.vdfs.it.bench.tfidf;
