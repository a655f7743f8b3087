/**
 * The commands of {@code bin/vdfs}, one class each, over the client library. Confined to the main
 * thread; knows nothing of Hadoop.
 */
package io.vdfs.cli;
