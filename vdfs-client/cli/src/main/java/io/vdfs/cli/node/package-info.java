/**
 * What single nodes keep and are told to do: which of them go, and which read back what they hold.
 * Confined to the command's thread.
 */
package io.vdfs.cli.node;
