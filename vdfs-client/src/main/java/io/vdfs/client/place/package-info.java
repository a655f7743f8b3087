/**
 * Where files lie: nodes that keep a group, by the ring map and what is recorded of the file, and
 * which of them is on this machine. Computes from what the client knows and asks no node.
 * Thread-safe. Of the client it uses {@code names}, {@code meta} and {@code io}.
 */
package io.vdfs.client.place;
