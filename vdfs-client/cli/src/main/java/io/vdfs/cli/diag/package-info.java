/**
 * What {@code vdfs diag} looks at and what it makes of it. Knows neither Hadoop's classes nor the
 * command line.
 */
package io.vdfs.cli.diag;
