/**
 * Connections of the data plane: framing, streams multiplexed over TCP, and their event loops.
 * Netty NIO only. Everything that belongs to a connection is confined to its event loop; callers
 * are called back there and must not block. Uses {@code common.wire}, {@code common.metrics} and
 * {@code common.error}.
 */
package io.vdfs.common.net;
