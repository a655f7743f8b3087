package io.vdfs.client.admin;

import io.vdfs.common.model.NodeId;

/**
 * How far a node has removed what was deleted. Immutable.
 *
 * @param missed deleted files that may still take room there for ever; at most so many
 * @param behind whether it is so far behind that nobody waits for it
 */
public record NodeDeletions(NodeId node, long missed, boolean behind) {}
