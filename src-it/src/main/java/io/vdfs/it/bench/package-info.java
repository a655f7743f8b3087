/**
 * Programs that benchmarks start: makers of input and readers that measure. Run by the scripts in
 * {@code src-it/bench} and {@code src-it/real}; nothing else uses them. The jobs that some of them
 * run have packages of their own, {@code .costly} and {@code .tfidf}.
 */
package io.vdfs.it.bench;
