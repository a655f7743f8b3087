/**
 * How evenly nodes are loaded: the files on them, and the blocks of streams that are left on them.
 * Confined to the command's thread.
 */
package io.vdfs.cli.balance;
