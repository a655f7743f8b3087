/**
 * The client's way to the cluster: who is in it, who leads, and metadata calls that survive a
 * change of leader. Thread-safe; uses {@code common}, knows neither Hadoop nor files.
 */
package io.vdfs.client.meta;
