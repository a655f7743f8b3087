/**
 * {@code vdfs diag}: what it checks and how it judges that. Knows none of Hadoop's classes: its
 * files come from {@code cli.hadoop}.
 */
package io.vdfs.cli.diag;
