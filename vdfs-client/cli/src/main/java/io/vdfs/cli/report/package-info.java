/**
 * The cluster as a whole: what it reports, its ring, and which nodes host its metadata. Confined to
 * the command's thread.
 */
package io.vdfs.cli.report;
