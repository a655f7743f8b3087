/**
 * What a client knows of its cluster: properties, ring map, which nodes live, which one leads, and
 * how that is kept fresh. Thread-safe; asks nodes on the threads of callers that need to know. Of
 * the client it uses {@code meta.finder}, {@code meta.control} and {@code meta.retry}.
 */
package io.vdfs.client.meta.cluster;
