/**
 * What a traced filesystem calls things: paths and statuses as applications see them and as the
 * filesystem inside does. Uses nothing else of {@code trace}. Immutable and thread-safe.
 */
package io.vdfs.client.hadoop.trace.names;
