/**
 * Layout of data-plane frames, checksums over the chunk grid, and the translation of ids and errors
 * to their messages. Pure: no I/O, no threads. Uses {@code common.error}, {@code common.model} and
 * the generated messages.
 */
package io.vdfs.common.wire;
