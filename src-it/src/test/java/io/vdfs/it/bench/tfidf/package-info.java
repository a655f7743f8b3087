/** The job that weighs terms, on a small text. */
package io.vdfs.it.bench.tfidf;
