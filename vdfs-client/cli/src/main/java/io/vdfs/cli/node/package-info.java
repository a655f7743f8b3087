/**
 * What single nodes keep and are told to do: which of them go, and who reads back what it holds.
 * Confined to the command's thread.
 */
package io.vdfs.cli.node;
