/**
 * Layout of data-plane frames, and the translation of ids, errors and checksums of chunks to their
 * messages. Pure: no I/O, no threads. Uses {@code common.checksum}, {@code common.error}, {@code
 * common.model} and the generated messages.
 */
package io.vdfs.common.wire;
