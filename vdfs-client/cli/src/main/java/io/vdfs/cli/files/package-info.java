/**
 * Commands about files: whether their copies are there, repair of those that are not, closing of
 * files, quotas. Confined to the command's thread.
 */
package io.vdfs.cli.files;
