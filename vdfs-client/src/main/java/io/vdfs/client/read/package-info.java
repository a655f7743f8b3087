/**
 * Decides which replica a reader asks, by which delivery, how far ahead, and which one comes next
 * after a failure. Hands out only bytes that match their writer's checksums. Metadata comes through
 * {@link io.vdfs.client.read.ViewSource}; callers' threads own cursors and block with a limit.
 */
package io.vdfs.client.read;
