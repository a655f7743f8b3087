/**
 * What a client knows of replicas: which nodes have those of a group, which of them count for a
 * file, and which failed recently. Asks no node. Uses nothing else of {@code client}.
 */
package io.vdfs.client.io.replica;
