/**
 * How commands wait for the work of others, and show how far it is. Confined to the command's
 * thread; knows no cluster.
 */
package io.vdfs.cli.progress;
