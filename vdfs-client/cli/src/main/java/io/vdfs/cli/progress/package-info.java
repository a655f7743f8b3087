/**
 * How commands wait for what others do, and show how far it is. Confined to the command's thread;
 * knows no cluster.
 */
package io.vdfs.cli.progress;
