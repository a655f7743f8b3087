/**
 * {@code vdfs trace} and its views of trace files: text, tables, a chart. Each class is confined to
 * one thread.
 */
package io.vdfs.cli.trace;
