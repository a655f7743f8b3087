/**
 * What a client knows of its cluster: properties, ring map, who lives, who leads, and how that is
 * kept young. Thread-safe; asks nodes on the threads of those who need to know. Of the client it
 * uses {@code meta.finder}, {@code meta.control} and {@code meta.retry}.
 */
package io.vdfs.client.meta.cluster;
