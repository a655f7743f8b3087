/**
 * {@code vdfs diag}, what it looks at and what it makes of it. Knows none of Hadoop's classes: its
 * files come from {@code cli.hadoop}.
 */
package io.vdfs.cli.diag;
