/**
 * What becomes of files: whether their copies are there, what is done for those that are not, files
 * that are to be closed, quotas. Confined to the command's thread.
 */
package io.vdfs.cli.files;
