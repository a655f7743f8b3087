/**
 * {@code vdfs trace} and what it makes of trace files: text, tables, a chart. Each class is
 * confined to one thread.
 */
package io.vdfs.cli.trace;
